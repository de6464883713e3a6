// Matrices within steps of any shape.
import type { MatrixSlice, Window } from "../answers";

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

/** The first part: all of a small matrix, the corner of a large one. */
export const CORNER = { row: 0, column: 0, rows: 24, columns: 24 } as const;

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
