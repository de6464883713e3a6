// What an entry is about, in the words beside its matrix: "B looks at A".
import type { StepRow, Window } from "../answers";
import { say } from "../words/say";
import { isSameIndex } from "./shapes";

export function wordsOf(row: StepRow, index: readonly number[], window: Window | undefined): string {
  if (!window || window.step !== row.id) return "";
  const y = window.numbers.findIndex((line) => line.some((number) => isSameIndex(number.index, index)));
  const x = window.numbers[y]?.findIndex((number) => isSameIndex(number.index, index)) ?? -1;
  const [down, along] = [window.row_labels[y], window.column_labels[x]];
  const axes = window.axes.slice(-2);
  if (down && along && axes[0] === "query" && axes[1] === "key") {
    const about = say("lab.explore.looks", { query: down, key: along });
    return row.stage === "backward" ? say("lab.explore.looks.gradient", { about }) : about;
  }
  return [down, along].filter(Boolean).join(", ");
}
