// Judging a sheet without the lab: an answer is compared with the numbers that it may be, and what is to be said about
// each of them stands in the file. Nothing is computed.
import type { Expected, GradePage, Marked, Ruling, Rulings } from "../answers";
import { type Given, isBlank, readNumber } from "./offline_numbers";

const ENOUGH = 2; // digits that an answer must have to be right to its digits

/** All answers of a sheet, as the lab would send it. Blanks are passed over. */
export function graded({ rulings, page }: Rulings, answers: Readonly<Record<string, string>>): GradePage {
  const answered = rulings.filter(({ label }) => !isBlank(answers[label] ?? ""));
  const marks = answered.map((ruling) => marked(ruling, answers[ruling.label]!));
  const wrong = marks.findIndex(({ right }) => !right);
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
  return ruling.expected.find((one) => isCoarser(given, one))?.coarser ?? ruling.other;
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

function isCoarser(given: Given, expected: Expected): boolean {
  const coarser = given.unit / 2 - expected.half_unit;
  const isNear = coarser > 0 && given.value !== 0 && gap(given, expected) <= expected.tolerance + coarser;
  return expected.coarser !== null && given.digits >= ENOUGH && isNear;
}

/** A text of which only its words and numbers count, and of several numbers, which there are; as lab/offline/rulings.py has it. */
export function normal(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!words.every((word) => /^(?:\d+|and)$/.test(word))) return words.join(" ");
  const numbers = new Set(words.filter((word) => word !== "and").map(Number));
  return [...numbers].sort((one, other) => one - other).join(" ") || "none";
}
