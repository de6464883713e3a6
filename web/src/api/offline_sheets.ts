// Judging a sheet without the lab: an answer is compared with the numbers that it may be, and what is to be said about
// each of them stands in the file. Nothing is computed.
import type { Expected, GradePage, Marked, Ruling, Rulings } from "../answers";
import { type Given, isBlank, readNumber } from "./offline_numbers";

export const TOO_FEW = "too few digits"; // the verdict on an answer that is neither right nor wrong

/** All answers of a sheet, as the lab would send it. Blanks are passed over. */
export function graded({ rulings, page }: Rulings, answers: Readonly<Record<string, string>>): GradePage {
  const answered = rulings.filter(({ label }) => !isBlank(answers[label] ?? ""));
  const marks = answered.map((ruling) => marked(ruling, answers[ruling.label]!));
  const wrong = marks.findIndex(({ right, verdict }) => !right && verdict !== TOO_FEW);
  return {
    first_wrong: answered[wrong]?.step ?? "",
    marks,
    right: marks.filter(({ right }) => right).length,
    asked: rulings.length,
    page,
  };
}

export function marked(ruling: Ruling, text: string): Marked {
  if (ruling.expected.length === 0) return ruling.texts[matchingAnswer(text, Object.keys(ruling.texts))] ?? ruling.other;
  const given = readNumber(text);
  if (!given) return ruling.unreadable;
  const found = ruling.expected.find((one) => gap(given, one) <= one.tolerance);
  if (found) return found.mark;
  for (const one of ruling.expected) {
    const mark = coarserMark(given, one);
    if (mark) return mark;
  }
  return ruling.other;
}

/** The answer that is meant: the beginning of one is enough, as in the lab, if it has three letters. */
function matchingAnswer(text: string, answers: readonly string[]): string {
  const said = normal(text);
  const begun = /\p{L}.*\p{L}.*\p{L}/u.test(said) ? answers.filter((answer) => answer.startsWith(said)) : [];
  return answers.includes(said) || begun.length !== 1 ? said : begun[0]!;
}

/** How far apart they are; nothing between two that are endless in the same direction. */
const gap = ({ value }: Given, expected: Expected): number => {
  const wanted = Number(String(expected.value).replace("inf", "Infinity")); // JSON has no number without an end
  return value === wanted ? 0 : Math.abs(value - wanted);
};

/** The mark of an answer with fewer digits than required: right to its digits, or too few to tell. */
function coarserMark(given: Given, expected: Expected): Marked | null {
  const own = given.unit / 2;
  if (own <= expected.half_unit || (given.value === 0 && given.digits < 2)) return null; // a plain 0 says that nothing is there
  const room = gap(given, expected) - expected.tolerance + expected.half_unit;
  if (given.value !== 0 && room <= Math.min(own, expected.coarsest)) return expected.coarser;
  return room <= own ? expected.too_few : null;
}

/** A text of which only its words and numbers count, and of several numbers, which there are; as lab/offline/rulings.py has it. */
export function normal(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!words.every((word) => /^(?:\d+|and)$/.test(word))) return words.join(" ");
  const numbers = new Set(words.filter((word) => word !== "and").map(Number));
  return [...numbers].sort((one, other) => one - other).join(" ") || "none";
}
