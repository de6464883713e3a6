import { beforeAll, expect, test, vi } from "vitest";
import type { Start, StepRow, Window } from "../answers";
import { learnWords } from "../words/say";
import { wordsOf } from "./words_of_entries";

beforeAll(() => {
  vi.stubGlobal("document", { documentElement: {} });
  learnWords({
    language: "en",
    sentences: { "lab.explore.looks": "{query} looks at {key}", "lab.explore.looks.gradient": "the loss and {about}" },
  } as unknown as Start);
});

const row = (stage: StepRow["stage"], twin = "") => ({ id: "14", stage, twin }) as StepRow;
const window = (axes: string[], row_labels: string[], column_labels: string[]) =>
  ({ step: "14", axes, row_labels, column_labels, numbers: [[{ index: [0, 0] }, { index: [0, 1] }], [{ index: [1, 0] }, { index: [1, 1] }]] }) as unknown as Window;
const weights = window(["head", "query", "key"], ["A", "B"], ["A", "B"]);

test("who looks at whom, whichever way the matrix is turned", () => {
  expect(wordsOf(row("forward"), [1, 0], weights)).toBe("B looks at A");
  expect(wordsOf(row("forward"), [0, 1], window(["key", "query"], ["A", "B"], ["A", "B"]))).toBe("B looks at A");
});

test("a gradient looks at nobody: it says how the loss changes", () => {
  expect(wordsOf(row("backward", "9"), [1, 0], weights)).toBe("the loss and B looks at A");
  expect(wordsOf(row("backward"), [1, 0], weights)).toBe("B, A");
});

test("elsewhere the words of its row and column, as far as there are any", () => {
  expect(wordsOf(row("forward"), [1, 0], window(["token", "model"], ["A", "B"], []))).toBe("B");
  expect(wordsOf(row("forward"), [7, 7], weights)).toBe("");
  expect(wordsOf(row("forward"), [1, 0], undefined)).toBe("");
});
