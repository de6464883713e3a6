// The tiles and numbers of one matrix. What is wanted is asked for once; what is no longer wanted is given up; what could
// not be had is asked for again a little later.
import type { Number, Problem, Tile, Window } from "../answers";
import { asProblem } from "../api/problem";
import { askTrace, tilePath, windowPath } from "../api/traces";
import { CHUNK, covering, type Part, type Size, TILE } from "../figures/heatmap";
import { pixelsOf } from "../figures/heatmap_colors";

export interface Cell {
  readonly number: Number;
  readonly level: number;
  readonly before: string;
}

export interface Matrix {
  readonly key: string;
  readonly step: string;
  readonly lead: readonly number[];
  readonly size: Size;
}

const AGAIN = 3000; // milliseconds until what failed is asked for again
const MOST_AGAIN = 5; // times in a row

export class HeatStore {
  readonly #tiles = new Map<string, Tile>();
  readonly #chunks = new Map<string, Window>();
  /** The tiles of the same matrix before an edit: its colors stay until the new ones are there. */
  readonly #earlier: ReadonlyMap<string, Tile>;
  readonly #pictures = new Map<Tile, HTMLCanvasElement>();
  readonly #coming = new Map<string, AbortController>();
  readonly #failed = new Map<string, Problem>();
  #wanted: ReadonlyMap<string, () => Promise<void>> = new Map();
  #again: ReturnType<typeof setTimeout> | undefined;
  #rounds = 0; // of asking again, since anything came
  #dark = false;

  /** `changed` is told whenever something came, or could not be had. */
  constructor(
    readonly matrix: Matrix,
    private readonly changed: () => void,
    earlier?: HeatStore,
  ) {
    const isAlike = earlier?.size.rows === this.size.rows && earlier.size.columns === this.size.columns;
    this.#earlier = new Map(isAlike ? [...earlier.#earlier, ...earlier.#tiles] : []);
  }

  get size(): Size {
    return this.matrix.size;
  }

  /** What went wrong with something that is wanted and not there. */
  get problem(): Problem | undefined {
    return this.#failed.values().next().value;
  }

  /** Tiles are painted again in the colors of the page. */
  set dark(dark: boolean) {
    if (dark !== this.#dark) this.#pictures.clear();
    this.#dark = dark;
  }

  // -- what is asked for -----------------------------------------------------------------------------

  /** Asks for the colors of a part and for the numbers of others. Whatever else is on its way is given up. */
  want(part: Part, stride: number, numbers: readonly Part[]): void {
    const tiles = covering(part, TILE * stride, this.size);
    const chunks = numbers.flatMap((some) => covering(some, CHUNK, this.size));
    this.#wanted = new Map([
      ...tiles.map((area) => [tileName(area, stride), () => this.#askTile(area, stride)] as const),
      ...chunks.map((area) => [chunkName(area), () => this.#askChunk(area)] as const),
    ]);
    for (const name of this.#failed.keys()) if (!this.#wanted.has(name)) this.#failed.delete(name);
    for (const [name, given] of this.#coming) if (!this.#wanted.has(name)) this.#giveUp(name, given);
    this.#askWanted();
  }

  /** Nobody looks any more. */
  stop(): void {
    clearTimeout(this.#again);
    for (const [name, given] of this.#coming) this.#giveUp(name, given);
  }

  #askWanted({ again = false } = {}): void {
    const shelves = [this.#tiles, this.#chunks, this.#coming, ...(again ? [] : [this.#failed])];
    for (const [name, ask] of this.#wanted) if (!shelves.some((shelf) => shelf.has(name))) void ask();
  }

  #giveUp(name: string, given: AbortController): void {
    this.#coming.delete(name);
    given.abort();
  }

  #askTile(area: Part, stride: number): Promise<void> {
    const { key, step, lead } = this.matrix;
    const bytes = { ...area, rows: Math.ceil(area.rows / stride), columns: Math.ceil(area.columns / stride) };
    return this.#ask(this.#tiles, tileName(area, stride), tilePath(key, step, lead, bytes, stride));
  }

  #askChunk(area: Part): Promise<void> {
    const { key, step, lead } = this.matrix;
    return this.#ask(this.#chunks, chunkName(area), windowPath(key, step, lead, area));
  }

  async #ask<Answer>(shelf: Map<string, Answer>, name: string, path: string): Promise<void> {
    const given = new AbortController();
    this.#coming.set(name, given);
    try {
      const answer = await askTrace<Answer>(path, given.signal);
      if (given.signal.aborted) return;
      shelf.set(name, answer);
      this.#failed.delete(name);
      this.#rounds = 0;
    } catch (error) {
      const problem = asProblem(error);
      if (given.signal.aborted || !problem) return;
      this.#failed.set(name, problem);
      this.#comeBack();
    }
    this.#coming.delete(name);
    this.changed();
  }

  #comeBack(): void {
    if (this.#again !== undefined || this.#rounds === MOST_AGAIN) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#rounds += 1;
      this.#askWanted({ again: true });
    }, AGAIN);
  }

  // -- what is there ---------------------------------------------------------------------------------

  /** The pictures that cover a part, as far as they are there. */
  pictures(part: Part, stride: number): { picture: HTMLCanvasElement; tile: Tile }[] {
    return covering(part, TILE * stride, this.size).flatMap((area) => {
      const name = tileName(area, stride);
      const tile = this.#tiles.get(name) ?? this.#earlier.get(name);
      return tile ? [{ picture: this.#picture(tile), tile }] : [];
    });
  }

  #picture(tile: Tile): HTMLCanvasElement {
    const picture = this.#pictures.get(tile) ?? painted(tile, this.#dark);
    this.#pictures.set(tile, picture);
    return picture;
  }

  cell(row: number, column: number): Cell | undefined {
    const found = this.#chunk(row, column);
    const [y, x] = [row % CHUNK, column % CHUNK];
    const number = found?.numbers[y]?.[x];
    return number && { number, level: found!.levels[y]![x]!, before: found!.before[y]?.[x] ?? "" };
  }

  rowLabel(row: number, column: number): string | undefined {
    return this.#chunk(row, column)?.row_labels[row % CHUNK];
  }

  columnLabel(row: number, column: number): string | undefined {
    return this.#chunk(row, column)?.column_labels[column % CHUNK];
  }

  /** What is written of a part, as one window; nothing before all of it is there. */
  window(part: Part): Window | undefined {
    const rows = [...Array(part.rows).keys()].map((row) => row + part.row);
    const columns = [...Array(part.columns).keys()].map((column) => column + part.column);
    const first = this.#chunk(part.row, part.column);
    const cells = rows.map((row) => columns.map((column) => this.cell(row, column)));
    if (!first || cells.some((line) => line.some((cell) => !cell))) return undefined;
    return {
      ...first,
      row: part.row,
      column: part.column,
      row_labels: first.row_labels.length ? rows.map((row) => this.rowLabel(row, part.column) ?? "") : [],
      column_labels: first.column_labels.length ? columns.map((column) => this.columnLabel(part.row, column) ?? "") : [],
      numbers: cells.map((line) => line.map((cell) => cell!.number)),
      levels: cells.map((line) => line.map((cell) => cell!.level)),
      before: cells.map((line) => line.map((cell) => cell!.before)),
    };
  }

  #chunk(row: number, column: number): Window | undefined {
    return this.#chunks.get(chunkName({ row: row - (row % CHUNK), column: column - (column % CHUNK) }));
  }
}

type Corner = Pick<Part, "row" | "column">;
const tileName = ({ row, column }: Corner, stride: number): string => `tile ${stride} ${row} ${column}`;
const chunkName = ({ row, column }: Corner): string => `numbers ${row} ${column}`;

function painted(tile: Tile, dark: boolean): HTMLCanvasElement {
  const levels = Uint8Array.from(atob(tile.levels), (sign) => sign.charCodeAt(0));
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [tile.columns, tile.rows];
  picture.getContext("2d")!.putImageData(new ImageData(pixelsOf(levels, dark), tile.columns, tile.rows), 0, 0);
  return picture;
}
