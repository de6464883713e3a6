// Matrices within steps of any shape.
import type { MatrixSlice, StepRow, Window } from "../answers";
import type { Part } from "../figures/heatmap";

export const SMALL = 16; // rows and columns of a matrix whose numbers are all written

/** How many rows and columns the matrix of a step has: a vector is one row, a single number one entry. */
export const matrixSize = (shape: readonly number[]): { rows: number; columns: number } => ({
  rows: shape.at(-2) ?? 1,
  columns: shape.at(-1) ?? 1,
});

export const isSmall = (shape: readonly number[]): boolean => {
  const { rows, columns } = matrixSize(shape);
  return rows <= SMALL && columns <= SMALL;
};

// -- entries: an index counts as the engine does, a spot is the row and the column where an entry is shown ---------------

export type Spot = readonly [number, number];
type Formed = Pick<StepRow, "shape" | "turned">;

export function spotOf({ turned }: Pick<Formed, "turned">, index: readonly number[]): Spot {
  const [row, column] = [index.at(-2) ?? 0, index.at(-1) ?? 0];
  return turned ? [column, row] : [row, column];
}

/** Of the matrix at `lead`. An entry of a vector has no row, and a single number has no index. */
export function indexAt({ shape, turned }: Formed, lead: readonly number[], [row, column]: Spot): readonly number[] {
  const pair = turned ? [column, row] : [row, column];
  return [...lead, ...pair.slice(2 - Math.min(shape.length, 2))];
}

/** The index as a page writes it. */
export const writtenAt = (row: Formed, lead: readonly number[], spot: Spot, countFrom: number): readonly number[] =>
  indexAt({ ...row, turned: false }, lead, spot).map((place) => place + countFrom);

const [FEWEST, MOST] = [3, 6]; // rows and columns that are shown around entries of a large matrix

/** A few rows and columns of a large matrix with these entries in them, as far as they fit: from the first one on. */
export function around(row: Formed, entries: readonly (readonly number[])[]): Part {
  const { rows, columns } = matrixSize(row.shape);
  const spots = entries.length ? entries.map((index) => spotOf(row, index)) : [[0, 0] as const];
  const down = stretch(spots.map(([y]) => y), rows);
  const along = stretch(spots.map(([, x]) => x), columns);
  return { row: down.first, rows: down.count, column: along.first, columns: along.count };
}

function stretch(places: readonly number[], size: number): { first: number; count: number } {
  const first = Math.min(...places);
  const count = Math.min(size, Math.max(FEWEST, Math.min(MOST, Math.max(...places) - first + 1)));
  return { first: Math.min(first, size - count), count };
}

/** The first part: all of a small matrix, the corner of a large one. */
export const CORNER = { row: 0, column: 0, rows: 24, columns: 24 } as const;

/** A part of a window, as far as the window has it; nothing if the part begins elsewhere. */
export function cut(window: Window, { row, column, rows, columns }: Part): Window | undefined {
  const [top, left] = [row - window.row, column - window.column];
  if (top < 0 || left < 0 || !window.numbers[top]?.[left]) return undefined;
  const down = <Line>(lines: readonly Line[]): Line[] => lines.slice(top, top + rows);
  const across = <Entry>(line: readonly Entry[]): Entry[] => line.slice(left, left + columns);
  return {
    ...window,
    row,
    column,
    row_labels: down(window.row_labels),
    column_labels: across(window.column_labels),
    numbers: down(window.numbers).map(across),
    levels: down(window.levels).map(across),
    before: down(window.before).map(across),
  };
}

/** A window as the matrix that the copy menu knows. */
export const sliceOf = (window: Window): MatrixSlice => ({
  index: window.lead,
  rows: window.numbers,
  row_labels: window.row_labels,
  column_labels: window.column_labels,
  kind: "slice",
});

export const isSameIndex = (one: readonly number[] | undefined, other: readonly number[] | undefined): boolean =>
  one !== undefined && other !== undefined && one.length === other.length && one.every((at, axis) => at === other[axis]);
