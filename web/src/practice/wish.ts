// Which sheet an address asks for.
import type { View } from "../address/view";

export const BLANKS = ["few", "some", "all"] as const;
export type Blanks = (typeof BLANKS)[number];

export interface SheetWish {
  readonly source: string;
  readonly run: string;
  readonly seed: number;
  readonly blanks: Blanks;
}

const FIRST = 1; // 0 has the numbers of the lesson itself, which are read there
const LARGEST = 999_999;

export function wishOf({ name, settings }: View): SheetWish {
  const seed = /^\d{1,6}$/.test(settings.seed ?? "") ? Number(settings.seed) : FIRST;
  return { source: name, run: settings.run ?? "", seed, blanks: BLANKS.find((one) => one === settings.blanks) ?? "few" };
}

/** The same with other numbers; where there are only a few sheets, the next of these. */
export function nextSeed({ seed }: SheetWish, only?: readonly number[]): string {
  if (only) return String(only[(only.indexOf(seed) + 1) % only.length] ?? seed);
  return String(seed < LARGEST ? seed + 1 : FIRST);
}
