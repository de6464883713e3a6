// Judging a sheet without the lab: an answer is compared with the numbers that it may be, and what is to be said about
// each of them stands in the file. Nothing is computed.
import type { Expected, GradePage, Marked, Ruling, Rulings } from "../answers";

interface Given {
  readonly value: number;
  /** One unit of the last digit that was written. */
  readonly unit: number;
  /** Significant digits. */
  readonly digits: number;
}

const ENOUGH = 2; // digits that an answer must have to be right to its digits

/** All answers of a sheet, as the lab would send it. Blanks are passed over. */
export function graded({ rulings, page }: Rulings, answers: Readonly<Record<string, string>>): GradePage {
  const asked = rulings.filter(({ label }) => answers[label]?.trim());
  const marks = asked.map((ruling) => marked(ruling, answers[ruling.label]!));
  const wrong = marks.findIndex(({ right }) => !right);
  return {
    first_wrong: asked[wrong]?.step ?? "",
    marks,
    right: marks.filter(({ right }) => right).length,
    asked: rulings.length,
    page,
  };
}

export function marked(ruling: Ruling, text: string): Marked {
  if (ruling.expected.length === 0) return ruling.texts[normal(text)] ?? ruling.other;
  const given = readNumber(text);
  if (!given) return ruling.unreadable;
  const found = ruling.expected.find((one) => gap(given, one) <= one.tolerance);
  if (found) return found.mark;
  return ruling.expected.find((one) => isCoarser(given, one))?.coarser ?? ruling.other;
}

const gap = ({ value }: Given, expected: Expected): number => Math.abs(value - expected.value);

function isCoarser(given: Given, expected: Expected): boolean {
  const coarser = given.unit / 2 - expected.half_unit;
  const isNear = coarser > 0 && gap(given, expected) <= expected.tolerance + coarser;
  return expected.coarser !== null && given.digits >= ENOUGH && isNear;
}

const NUMBER = /^[-+]?(?:(\d+)(?:[.,](\d*))?|[.,](\d+))(?:e([-+]?\d{1,3}))?$/i;

/** A decimal with a point or a comma, or a fraction of two of them, which is exact. */
export function readNumber(text: string): Given | undefined {
  const [above = "", below, ...more] = plain(text).split("/");
  const one = decimal(above);
  if (below === undefined || !one) return one;
  const other = decimal(below);
  return more.length || !other?.value ? undefined : { value: one.value / other.value, unit: 0, digits: Infinity };
}

function decimal(text: string): Given | undefined {
  const found = NUMBER.exec(text);
  if (!found) return undefined;
  const [, whole = "", behind = "", alone = "", power = "0"] = found;
  const decimals = behind + alone;
  return {
    value: Number(text.replace(",", ".")),
    unit: Number(`1e${Number(power) - decimals.length}`),
    digits: (whole + decimals).replace(/^0+/, "").length,
  };
}

const plain = (text: string): string => text.replaceAll(/\s/g, "").replaceAll("−", "-");

/** A text of which only its words and numbers count; as lab/rulings.py has it. */
export const normal = (text: string): string => text.toLowerCase().match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? "";
