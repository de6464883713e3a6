// Which part of a large matrix is seen, and where. A view says which entry stands at the upper left corner of the pane
// (a fraction of one, while somebody pans) and how many pixels an entry has.

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

export interface Pane {
  readonly width: number;
  readonly height: number;
}

export interface HeatView {
  readonly row: number;
  readonly column: number;
  readonly scale: number;
}

/** Some rows and columns, from `row` and `column` on. */
export interface Part extends Size {
  readonly row: number;
  readonly column: number;
}

export const LARGEST = 64; // pixels of an entry
export const TILE = 256; // entries along the side of a tile, or squares of them
export const CHUNK = 32; // entries along the side of a part whose numbers are asked for together

/** The whole matrix, as large as fits; a small one does not get larger than its numbers need. */
export function whole(size: Size, pane: Pane): HeatView {
  return { row: 0, column: 0, scale: Math.min(smallest(size, pane), LARGEST) };
}

const smallest = (size: Size, pane: Pane): number => Math.min(pane.width / size.columns, pane.height / size.rows);

/** The view so that nothing beside the matrix is seen, where it fills the pane. */
export function bounded(view: HeatView, size: Size, pane: Pane): HeatView {
  const scale = clamp(view.scale, Math.min(smallest(size, pane), LARGEST), LARGEST);
  return {
    scale,
    row: clamp(view.row, 0, Math.max(0, size.rows - pane.height / scale)),
    column: clamp(view.column, 0, Math.max(0, size.columns - pane.width / scale)),
  };
}

/** Moved by so many pixels, as a sheet of paper under a hand. */
export function panned(view: HeatView, right: number, down: number, size: Size, pane: Pane): HeatView {
  const moved = { ...view, row: view.row - down / view.scale, column: view.column - right / view.scale };
  return bounded(moved, size, pane);
}

/** Larger or smaller, while what is under the point (x, y) stays there. */
export function zoomed(view: HeatView, by: number, x: number, y: number, size: Size, pane: Pane): HeatView {
  const { scale } = bounded({ ...view, scale: view.scale * by }, size, pane);
  const row = view.row + y / view.scale - y / scale;
  const column = view.column + x / view.scale - x / scale;
  return bounded({ row, column, scale }, size, pane);
}

/** The same with an entry in sight; nothing moves if it is already. */
export function revealing(view: HeatView, row: number, column: number, size: Size, pane: Pane): HeatView {
  const [high, wide] = [pane.height / view.scale, pane.width / view.scale];
  const moved = {
    ...view,
    row: clamp(view.row, row + 1 - high, row),
    column: clamp(view.column, column + 1 - wide, column),
  };
  return bounded(moved, size, pane);
}

/** The entry under a point, if there is one. */
export function entryAt(view: HeatView, x: number, y: number, size: Size): readonly [number, number] | undefined {
  const [row, column] = [Math.floor(view.row + y / view.scale), Math.floor(view.column + x / view.scale)];
  const inside = row >= 0 && column >= 0 && row < size.rows && column < size.columns;
  return inside ? [row, column] : undefined;
}

/** All entries of which anything is seen. */
export function seen(view: HeatView, size: Size, pane: Pane): Part {
  const [row, column] = [Math.floor(view.row), Math.floor(view.column)];
  return {
    row,
    column,
    rows: Math.min(size.rows, Math.ceil(view.row + pane.height / view.scale)) - row,
    columns: Math.min(size.columns, Math.ceil(view.column + pane.width / view.scale)) - column,
  };
}

/** How many entries along a side become one square: as many as share a pixel, in powers of two. */
export function strideFor(scale: number): number {
  let stride = 1;
  while (scale * stride < 0.75 && stride < 256) stride *= 2;
  return stride;
}

/** The parts of a grid of `side` entries that cover what is seen. */
export function covering(part: Part, side: number, size: Size): readonly Part[] {
  const parts: Part[] = [];
  for (let row = part.row - (part.row % side); row < part.row + part.rows; row += side)
    for (let column = part.column - (part.column % side); column < part.column + part.columns; column += side)
      parts.push({
        row,
        column,
        rows: Math.min(side, size.rows - row),
        columns: Math.min(side, size.columns - column),
      });
  return parts;
}

/** Which rows or columns get a label, so that labels of `room` pixels stand apart: every one, every 2nd, 5th, 10th ... */
export function labelStep(scale: number, room: number): number {
  for (let ten = 1; ; ten *= 10)
    for (const few of [1, 2, 5]) if (scale * ten * few >= room) return ten * few;
}

// -- in the address: `zoom=row,column,scale` -------------------------------------------------------

/** Nothing where all of the matrix is seen. */
export function writeZoom(view: HeatView, size: Size, pane: Pane): string {
  const { row, column, scale } = whole(size, pane);
  const isWhole = view.scale <= scale && view.row === row && view.column === column;
  return isWhole ? "" : [view.row, view.column, view.scale].map((number) => Math.round(number * 1000) / 1000).join(",");
}

/** What somebody may have typed is a view only if it has three numbers. */
export function readZoom(text = ""): HeatView | undefined {
  const numbers = text.split(",").map((word) => (word.trim() ? Number(word) : NaN));
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return undefined;
  const [row, column, scale] = numbers as [number, number, number];
  return scale > 0 ? { row, column, scale } : undefined;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));
