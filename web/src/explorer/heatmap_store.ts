// The tiles and numbers of one matrix: each is asked for once, when it is first seen.
import type { Number, Tile, Window } from "../answers";
import { askTrace, tilePath, windowPath } from "../api/traces";
import { CHUNK, covering, type Part, type Size, TILE } from "../figures/heatmap";
import { pixelsOf } from "../figures/heatmap_colours";

export interface Cell {
  readonly number: Number;
  readonly level: number;
  readonly before: string;
}

export class HeatStore {
  readonly #tiles = new Map<string, { tile: Tile; picture: HTMLCanvasElement | undefined } | undefined>();
  readonly #chunks = new Map<string, Window | undefined>();
  #dark = false;

  constructor(
    readonly size: Size,
    private readonly key: string,
    private readonly step: string,
    private readonly lead: readonly number[],
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Tiles are painted again in the colours of the page. */
  set dark(dark: boolean) {
    if (dark === this.#dark) return;
    this.#dark = dark;
    for (const kept of this.#tiles.values()) if (kept) kept.picture = undefined;
  }

  /** The pictures that cover a part, as far as they are there; the others are on their way from now on. */
  pictures(part: Part, stride: number): { picture: HTMLCanvasElement; tile: Tile }[] {
    return covering(part, TILE * stride, this.size).flatMap((area) => {
      const kept = this.#kept(this.#tiles, `${stride} ${area.row} ${area.column}`, () => this.#askTile(area, stride));
      if (!kept) return [];
      kept.picture ??= painted(kept.tile, this.#dark);
      return [{ picture: kept.picture, tile: kept.tile }];
    });
  }

  /** Asks for the numbers of a part. */
  wantNumbers(part: Part): void {
    for (const area of covering(part, CHUNK, this.size))
      this.#kept(this.#chunks, `${area.row} ${area.column}`, () => this.#askWindow(area));
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
    return this.#chunks.get(`${row - (row % CHUNK)} ${column - (column % CHUNK)}`);
  }

  #kept<Answer>(shelf: Map<string, Answer | undefined>, name: string, ask: () => Promise<Answer>): Answer | undefined {
    if (!shelf.has(name)) {
      shelf.set(name, undefined); // on its way
      ask().then(
        (answer) => (shelf.set(name, answer), this.arrived()),
        (error: unknown) => (shelf.delete(name), this.failed(error)),
      );
    }
    return shelf.get(name);
  }

  async #askTile(area: Part, stride: number) {
    const bytes = { ...area, rows: Math.ceil(area.rows / stride), columns: Math.ceil(area.columns / stride) };
    const tile = await askTrace<Tile>(tilePath(this.key, this.step, this.lead, bytes, stride), this.signal);
    return { tile, picture: undefined };
  }

  #askWindow(area: Part): Promise<Window> {
    return askTrace<Window>(windowPath(this.key, this.step, this.lead, area), this.signal);
  }
}

function painted(tile: Tile, dark: boolean): HTMLCanvasElement {
  const levels = Uint8Array.from(atob(tile.levels), (sign) => sign.charCodeAt(0));
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [tile.columns, tile.rows];
  picture.getContext("2d")!.putImageData(new ImageData(pixelsOf(levels, dark), tile.columns, tile.rows), 0, 0);
  return picture;
}
