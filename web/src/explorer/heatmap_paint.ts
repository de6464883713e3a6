// Paints the part of a large matrix that is seen: its tiles, a grid and numbers where there is room, and its edges.
import { type HeatView, labelStep, type Pane, type Part, seen, strideFor } from "../figures/heatmap";
import { colorOf, inkOn } from "../figures/heatmap_colors";
import type { HeatStore } from "./heatmap_store";

export const EDGE = { left: 64, top: 26 } as const; // room for labels
const WITH_GRID = 9; // pixels of an entry from which on there are lines between them
export const WITH_WORDS = 14; // from which on rows and columns have words
const WITH_NUMBERS = 44;
const MOST_LETTERS = 16; // of a word that are tried

export interface Looks {
  readonly dark: boolean;
  readonly ink: string;
  readonly faint: string;
  readonly paper: string;
  readonly accent: string;
  readonly warn: string;
  readonly font: string;
  /** The size of letters, in pixels. */
  readonly letter: number;
}

export interface Seen {
  readonly view: HeatView;
  readonly pane: Pane;
  readonly cursor: readonly [number, number] | undefined;
  readonly selected: readonly [number, number] | undefined;
  readonly marked: readonly (readonly [number, number])[];
  /** The number of the first row and column, where they have no words. */
  readonly countFrom: number;
}

export function paint(context: CanvasRenderingContext2D, store: HeatStore, what: Seen, looks: Looks): void {
  const { view, pane } = what;
  const part = seen(view, store.size, pane);
  store.dark = looks.dark;
  context.clearRect(0, 0, pane.width + EDGE.left + 2, pane.height + EDGE.top + 2);
  context.save();
  context.translate(EDGE.left, EDGE.top);
  context.save();
  context.beginPath();
  context.rect(0, 0, pane.width, pane.height);
  context.clip();
  paintTiles(context, store, part, view);
  if (view.scale >= WITH_GRID) paintGrid(context, part, view, looks);
  if (view.scale >= WITH_NUMBERS) paintNumbers(context, store, part, view, looks);
  paintFrames(context, what, looks);
  context.restore();
  paintEdge(context, store, what, looks);
  paintLabels(context, store, part, what, looks);
  context.restore();
}

function paintTiles(context: CanvasRenderingContext2D, store: HeatStore, part: Part, view: HeatView): void {
  const stride = strideFor(view.scale);
  context.imageSmoothingEnabled = false;
  for (const { picture, tile } of store.pictures(part, stride)) {
    const [x, y] = [(tile.column - view.column) * view.scale, (tile.row - view.row) * view.scale];
    const side = view.scale * stride;
    context.drawImage(picture, x, y, tile.columns * side, tile.rows * side);
  }
}

function paintGrid(context: CanvasRenderingContext2D, part: Part, view: HeatView, looks: Looks): void {
  context.beginPath();
  for (let row = part.row; row <= part.row + part.rows; row++) {
    const y = Math.round((row - view.row) * view.scale) + 0.5;
    context.moveTo((part.column - view.column) * view.scale, y);
    context.lineTo((part.column + part.columns - view.column) * view.scale, y);
  }
  for (let column = part.column; column <= part.column + part.columns; column++) {
    const x = Math.round((column - view.column) * view.scale) + 0.5;
    context.moveTo(x, (part.row - view.row) * view.scale);
    context.lineTo(x, (part.row + part.rows - view.row) * view.scale);
  }
  context.strokeStyle = looks.faint;
  context.globalAlpha = 0.22;
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
}

function paintNumbers(context: CanvasRenderingContext2D, store: HeatStore, part: Part, view: HeatView, looks: Looks): void {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = part.row; row < part.row + part.rows; row++)
    for (let column = part.column; column < part.column + part.columns; column++) {
      const cell = store.cell(row, column);
      if (!cell) continue;
      const [x, y] = [(column + 0.5 - view.column) * view.scale, (row + 0.5 - view.row) * view.scale];
      context.fillStyle = inkOn(colorOf(cell.level, looks.dark));
      context.font = `${Math.min(looks.letter * 1.15, (view.scale * 1.45) / Math.max(5, cell.number.text.length))}px ${looks.font}`;
      context.fillText(cell.number.text, x, y);
      if (cell.before) paintBefore(context, cell.before, x, y + 13, looks);
    }
}

/** What an edit has changed shows what it was, struck through. */
function paintBefore(context: CanvasRenderingContext2D, text: string, x: number, y: number, looks: Looks): void {
  context.font = `${looks.letter * 0.8}px ${looks.font}`;
  context.fillText(text, x, y);
  const half = context.measureText(text).width / 2;
  context.fillRect(x - half, y, 2 * half, 1);
  context.fillStyle = looks.warn;
  context.fillRect(x - half, y + 6, 2 * half, 2);
}

function paintFrames(context: CanvasRenderingContext2D, { view, cursor, selected, marked }: Seen, looks: Looks): void {
  const frame = ([row, column]: readonly [number, number], color: string, width: number, dash: number[] = []) => {
    const side = Math.max(view.scale, 5);
    context.setLineDash(dash);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect((column - view.column) * view.scale - 1, (row - view.row) * view.scale - 1, side + 2, side + 2);
  };
  for (const entry of marked) frame(entry, looks.accent, 2, [4, 3]);
  if (selected) frame(selected, looks.accent, 3);
  if (cursor) frame(cursor, looks.ink, 1.5);
  context.setLineDash([]);
}

/** Where the matrix ends; what is 0 looks like the page. */
function paintEdge(context: CanvasRenderingContext2D, { size }: HeatStore, { view, pane }: Seen, looks: Looks): void {
  context.strokeStyle = looks.faint;
  context.lineWidth = 1;
  const width = Math.min(pane.width, (size.columns - view.column) * view.scale);
  const height = Math.min(pane.height, (size.rows - view.row) * view.scale);
  context.strokeRect(-0.5, -0.5, Math.round(width) + 1, Math.round(height) + 1);
}

function paintLabels(context: CanvasRenderingContext2D, store: HeatStore, part: Part, { view, countFrom }: Seen, looks: Looks): void {
  context.font = `${looks.letter}px ${looks.font}`;
  context.fillStyle = looks.faint;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const down = labelStep(view.scale, looks.letter * 1.2);
  for (let row = roundUp(part.row, down); row < part.row + part.rows; row += down) {
    const label = store.rowLabel(row, part.column) ?? String(row + countFrom);
    const y = (row + 0.5 - view.row) * view.scale;
    if (y > 0) context.fillText(shortened(context, label, EDGE.left - 8), -6, y);
  }
  context.textAlign = "center";
  const along = labelStep(view.scale, looks.letter * 3);
  for (let column = roundUp(part.column, along); column < part.column + part.columns; column += along) {
    const label = store.columnLabel(part.row, column) ?? String(column + countFrom);
    const x = (column + 0.5 - view.column) * view.scale;
    if (x > 0) context.fillText(shortened(context, label, view.scale * along - 4), x, -EDGE.top / 2);
  }
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/** As much of a word as there is room for; whole it is written below, when somebody points at one of its entries. */
function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text.slice(0, MOST_LETTERS)];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}
