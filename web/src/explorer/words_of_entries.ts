// What an entry is about, in the labels of its matrix: "B attends to A".
import type { StepRow, Window } from "../answers";
import { isSameIndex } from "./shapes";

export function wordsOf(row: StepRow, index: readonly number[], window: Window | undefined): string {
  if (!window || window.step !== row.id) return "";
  const y = window.numbers.findIndex((line) => line.some((number) => isSameIndex(number.index, index)));
  const x = window.numbers[y]?.findIndex((number) => isSameIndex(number.index, index)) ?? -1;
  const words = [window.row_labels[y], window.column_labels[x]];
  return lookingWords(row, window.axes.slice(-2), words) || words.filter(Boolean).join(", ");
}

/** Where a token meets a token: which one attends to which, or how much that matters to the loss. */
function lookingWords(row: StepRow, axes: readonly string[], words: readonly (string | undefined)[]): string {
  const [query, key] = [words[axes.indexOf("query")], words[axes.indexOf("key")]];
  if (!query || !key) return "";
  const about = `${query} attends to ${key}`;
  if (row.stage !== "backward") return about;
  return row.twin ? `how the loss changes with “${about}”` : ""; // a part of a gradient means nothing by itself
}
