// One number as somebody wrote it, read as the lab reads it: see teach/answers/number.py and spelling.py. A table of texts,
// offline_numbers.json, is tested on both sides, so that they cannot part.

export interface Given {
  readonly value: number;
  /** One unit of the last digit that was written; 0 where there is no last digit. */
  readonly unit: number;
  /** Significant digits. */
  readonly digits: number;
}

const LONGEST = 400; // characters
const LONGEST_POWER = 3; // digits of an exponent
const SMALLEST = 5e-324; // the smallest positive number
const EXACT = 17; // digits of a number that has no last one

const NUMBER = /^([+-]?)\s{0,3}([0-9]*)(?:\.|(?<=[0-9]),(?=[0-9]))?([0-9]*)(?:e([+-]?[0-9]+))?(%?)$/i;
const PART = String.raw`[+-]?(?:[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)`; // of a fraction: 1, 1.22, 1,22, .5
const FRACTION = new RegExp(String.raw`^([+-]?)\s{0,3}(${PART})\s{0,3}/\s{0,3}(${PART})$`);
const WITHOUT_DIGITS = /^([+-]?)\s{0,3}(?:inf|infinity)$/i;
const BLANK = /^(?:-*|\?+|[_\s]+|\.{2,}|□|null|n\/a)$/i;

/** Whether somebody left this open. A blank is not a zero. */
export const isBlank = (text: string): boolean => text.length <= LONGEST && BLANK.test(spelled(text).trim());

/** Nothing where there is no number. */
export function readNumber(text: string): Given | undefined {
  if (text.trim().length > LONGEST || isBlank(text)) return undefined;
  const plain = spelled(text).trim().replaceAll(/^\$+|\$+$/g, "").trim().replace(/^[=≈~]/, "").trim();
  const [, sign, whole, part = "", power, percent] = NUMBER.exec(plain) ?? [];
  if (whole || part) return decimal(sign!, whole!, part, power ?? "0", percent ? 2 : 0);
  const [, minus, above, below] = FRACTION.exec(plain) ?? [];
  if (above && below) return fraction(minus === "-", above, below);
  const endless = WITHOUT_DIGITS.exec(plain);
  return endless ? { value: endless[1] === "-" ? -Infinity : Infinity, unit: 0, digits: EXACT } : undefined;
}

function decimal(sign: string, whole: string, part: string, power: string, percent: number): Given | undefined {
  if (power.replace(/^[+-]?0*/, "").length > LONGEST_POWER) return undefined;
  const last = Number(power) - percent;
  const value = Number(`${sign}${whole || "0"}.${part}e${last}`);
  if (!Number.isFinite(value)) return { value, unit: 0, digits: EXACT };
  const unit = Math.max(Number(`1e${last - part.length}`), SMALLEST);
  return { value, unit, digits: (whole + part).replace(/^0+/, "").length || Math.max(1, part.length) };
}

/** Whole numbers in it are meant as they are; decimals have a last digit, and with it the fraction moves. */
function fraction(isNegative: boolean, above: string, below: string): Given | undefined {
  const [top, bottom] = [above, below].map((part) => Number(part.replace(",", "."))) as [number, number];
  const value = top / bottom;
  if (!bottom || !Number.isFinite(value)) return undefined;
  const unit = (lastOf(above) + Math.abs(value) * lastOf(below)) / Math.abs(bottom);
  const written = [above, below].filter((part) => behind(part));
  const digits = written.map((part) => part.replaceAll(/[^0-9]/g, "").replace(/^0+/, "").length || 1);
  return { value: isNegative ? -value : value, unit, digits: unit ? Math.min(...digits) : EXACT };
}

const lastOf = (part: string): number => (behind(part) ? Number(`1e-${behind(part).length}`) : 0);

/** The digits behind the point. */
const behind = (part: string): string => part.replace(",", ".").split(".")[1] ?? "";

// -- one spelling for the many ways in which a number is written -------------------------------------

const THIN = "\u2009";
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[−–—‒‑﹣－]/g, "-"], [/[×·⋅∙∗]/g, "*"], [/[⁄∕]/g, "/"], [/[\u200b\u2060\ufeff\u00ad]/g, ""],
  [/[\u00a0\u2002\u2003\u2007\u3000]/g, " "], [/[\u200a\u2006\u2008\u202f]/g, THIN],
  [/＋/g, "+"], [/％/g, "%"], [/∞/g, "inf"], [/…/g, "..."],
];
const COMMANDS: Readonly<Record<string, string>> = {
  "\\times": "*", "\\cdot": "*", "\\ast": "*", "\\left": "", "\\right": "", "\\displaystyle": "", "\\!": "",
  "\\;": " ", "\\:": " ", "\\ ": " ", "\\quad": " ", "\\qquad": " ", "\\dots": "...", "\\ldots": "...", "\\cdots": "...",
  "\\,": THIN, "\\infty": "inf", "\\square": "_", "\\cr": "\\\\", "\\%": "%", "\\_": "_",
};
const COMMAND = /\\(?:[A-Za-z]{1,20}|.)/g;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺";
const REWRITTEN: readonly (readonly [RegExp, string])[] = [
  [/(?<=[0-9])\u2009(?=[0-9])/g, ""], // a thin space groups the digits of one number
  [/\u2009/g, " "],
  [/\\[dt]?frac\s{0,3}\{([^{}]{1,400})\}\s{0,3}\{([^{}]{1,400})\}/g, "$1/$2"],
  [/\{,\}/g, ","], // how LaTeX is told that a comma is a decimal sign
  [/\s{0,3}(?:\*\*|\^)\s{0,3}(?:\{\s{0,3}([+-]?[0-9]{1,400})\s{0,3}\}|([+-]?[0-9]{1,400}))/g, "^$1$2"],
  [/(?<=[0-9.,])\s{0,3}[*xX]\s{0,3}10\^/g, "e"], // many type the letter for the sign
  [/(?<![0-9.,^])10\^(?=[+-]?[0-9])/g, "1e"],
  [/(?<=[0-9])\s{0,3}\/\s{0,3}(?=[0-9])/g, "/"],
  [/(?<=[0-9])\s{1,3}%/g, "%"],
];

function spelled(text: string): string {
  const plain = rewritten(text, SIGNS).replaceAll(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10));
  const commanded = plain.replaceAll(COMMAND, (command) => COMMANDS[command] ?? command);
  const raised = commanded.replaceAll(/[⁰¹²³⁴-⁹⁻⁺]{1,9}/g, (power) =>
    `^${[...power].map((sign) => "0123456789-+"[RAISED.indexOf(sign)]).join("")}`);
  return rewritten(raised, REWRITTEN);
}

const rewritten = (text: string, rules: readonly (readonly [RegExp, string])[]): string =>
  rules.reduce((written, [pattern, plain]) => written.replaceAll(pattern, plain), text);
