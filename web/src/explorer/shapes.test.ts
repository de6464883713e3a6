import { expect, test } from "vitest";
import type { Window } from "../answers";
import { around, cut, indexAt, spotOf, writtenAt } from "./shapes";

const plain = { shape: [2, 40, 20], turned: false };
const turned = { shape: [2, 20, 40], turned: true };

test("an entry stands at its row and column, and where vectors are columns the other way round", () => {
  expect(spotOf(plain, [1, 30, 4])).toEqual([30, 4]);
  expect(spotOf(turned, [1, 30, 4])).toEqual([4, 30]);
  for (const row of [plain, turned]) expect(indexAt(row, [1], spotOf(row, [1, 30, 4]))).toEqual([1, 30, 4]);
});

test("an entry of a vector has no row, and a single number no index", () => {
  expect(indexAt({ shape: [40], turned: false }, [], [0, 7])).toEqual([7]);
  expect(indexAt({ shape: [], turned: false }, [], [0, 0])).toEqual([]);
  expect([spotOf(plain, [7]), spotOf(plain, [])]).toEqual([[0, 7], [0, 0]]);
});

test("an entry is written as the page counts", () => {
  expect(writtenAt(turned, [1], [4, 30], 1)).toEqual([2, 5, 31]);
  expect(writtenAt(plain, [1], [30, 4], 0)).toEqual([1, 30, 4]);
});

test("of a large matrix a part is shown that has the entries in it", () => {
  const line = [0, 1, 2, 3, 4].map((column) => [1, 39, column]);
  expect(around(plain, line)).toEqual({ row: 37, rows: 3, column: 0, columns: 5 });
  expect(around(turned, line)).toEqual({ row: 0, rows: 5, column: 37, columns: 3 });
  expect(around(plain, [])).toEqual({ row: 0, rows: 3, column: 0, columns: 3 });
  expect(around({ shape: [500], turned: false }, [[0], [400]])).toEqual({ row: 0, rows: 1, column: 0, columns: 6 });
});

const window = {
  row: 2, column: 0, row_labels: ["c", "d", "e"], column_labels: ["A", "B", "C"], before: [],
  numbers: [[1, 2, 3], [4, 5, 6], [7, 8, 9]], levels: [[0, 1, 2], [3, 4, 5], [6, 7, 8]],
} as unknown as Window;

test("cuts a part out of a window", () => {
  const part = cut(window, { row: 3, column: 1, rows: 1, columns: 6 });
  expect(part).toMatchObject({ row: 3, column: 1, numbers: [[5, 6]], levels: [[4, 5]], row_labels: ["d"], column_labels: ["B", "C"] });
  expect(cut(window, { row: 2, column: 0, rows: 9, columns: 9 })).toEqual(window);
  for (const [row, column] of [[1, 0], [5, 0], [2, 3]]) expect(cut(window, { row: row!, column: column!, rows: 2, columns: 2 })).toBeUndefined();
});
