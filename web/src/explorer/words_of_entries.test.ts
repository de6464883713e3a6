import { expect, test } from "vitest";
import type { StepRow, Window } from "../answers";
import { wordsOf } from "./words_of_entries";

const row = (stage: StepRow["stage"], twin = "") => ({ id: "14", stage, twin }) as StepRow;
const window = (axes: string[], row_labels: string[], column_labels: string[]) =>
  ({ step: "14", axes, row_labels, column_labels, numbers: [[{ index: [0, 0] }, { index: [0, 1] }], [{ index: [1, 0] }, { index: [1, 1] }]] }) as unknown as Window;
const weights = window(["head", "query", "key"], ["A", "B"], ["A", "B"]);

test("names query and key, also in a transposed matrix", () => {
  expect(wordsOf(row("forward"), [1, 0], weights)).toBe("B attends to A");
  expect(wordsOf(row("forward"), [0, 1], window(["key", "query"], ["A", "B"], ["A", "B"]))).toBe("B attends to A");
});

test("a gradient entry says how the loss changes", () => {
  expect(wordsOf(row("backward", "9"), [1, 0], weights)).toBe("how the loss changes with “B attends to A”");
  expect(wordsOf(row("backward"), [1, 0], weights)).toBe("B, A");
});

test("other entries are named by the labels of their row and column, if any", () => {
  expect(wordsOf(row("forward"), [1, 0], window(["token", "model"], ["A", "B"], []))).toBe("B");
  expect(wordsOf(row("forward"), [7, 7], weights)).toBe("");
  expect(wordsOf(row("forward"), [1, 0], undefined)).toBe("");
});
