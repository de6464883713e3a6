// The fields of the page on which numbers are checked, and how they stand in its address: what is given under its own
// name, what somebody got under `my.` and the name of the step.
import { type View, view } from "../address/view";

export type Start = "queries" | "projections";
export interface Texts {
  readonly start: Start;
  readonly given: Readonly<Record<string, string>>;
  readonly got: Readonly<Record<string, string>>;
  readonly mask: string;
  readonly heads: number;
  readonly convention: string;
}

const MINE = "my.";
const QUERIES = ["Q", "K", "V"];
const WEIGHTS = ["X", "W_Q", "W_K", "W_V"];
export const JOINING = "W_O";
export const COUNTING = "cotangent"; // how much each entry of the result counts: with it, there are gradients
const OPTIONAL: readonly string[] = [JOINING, COUNTING];
export const MASKS = ["none", "causal"] as const;
export const SCALES = ["", "attention_scale=model"] as const; // which root: that of a head, or that of the whole model
export const MOST_HEADS = 64;

export const NOTHING: Texts = { start: "queries", given: {}, got: {}, mask: "none", heads: 1, convention: "" };

/** The matrices that must be given. */
export const givenFields = ({ start }: Pick<Texts, "start">): readonly string[] =>
  start === "queries" ? QUERIES : WEIGHTS;

const isGiven = ({ given }: Texts, name: string): boolean => !!given[name]?.trim();

/** The steps that come of them, in their order. */
export function gotFields(texts: Texts): string[] {
  const { start, mask, heads } = texts;
  return [
    ...(start === "projections" ? QUERIES : []),
    "scores",
    "scaled",
    ...(mask === "causal" ? ["masked"] : []),
    "weights",
    "context",
    ...(heads > 1 ? ["joined"] : []),
    ...(isGiven(texts, JOINING) ? ["attended"] : []),
  ];
}

/** The gradients, in the order in which they come. There are some only if it is given what comes in at the end. */
export const gradientFields = (texts: Texts): string[] => [
  ...(isGiven(texts, JOINING) ? ["dW_O", "dcontext"] : []),
  ...["dweights", "dscaled", "dscores", "dQ", "dK", "dV"],
  ...(texts.start === "projections" ? ["dW_Q", "dW_K", "dW_V", "dX"] : []),
];

export const hasGradients = (texts: Texts): boolean =>
  isGiven(texts, COUNTING) || gradientFields(texts).some((name) => texts.got[name]?.trim());

/** What is given says with what somebody starts, as soon as there is any. */
const startsWithWeights = (given: Readonly<Record<string, string>>): boolean => WEIGHTS.some((name) => name in given);

export function readTexts({ settings, edits }: View): Texts {
  const given: Record<string, string> = {};
  const got: Record<string, string> = {};
  for (const edit of edits) {
    const [name = "", ...rest] = edit.split("=");
    if (name.startsWith(MINE)) got[name.slice(MINE.length)] = rest.join("=");
    else given[name] = rest.join("=");
  }
  const heads = Number(settings.heads);
  return {
    start: settings.start === "projections" || startsWithWeights(given) ? "projections" : "queries",
    given,
    got,
    mask: MASKS.find((mask) => mask === settings.mask) ?? "none",
    heads: Number.isInteger(heads) && heads >= 1 && heads <= MOST_HEADS ? heads : 1,
    convention: SCALES.find((scale) => scale === settings.convention) ?? "",
  };
}

export function viewOfTexts(texts: Texts): View {
  const { given, got, mask, heads, convention } = filledFields(texts);
  const edits = [...Object.entries(given), ...Object.entries(got).map(([name, text]) => [MINE + name, text] as const)];
  return view("check", {
    settings: {
      ...(mask !== "none" && { mask }),
      ...(heads > 1 && { heads: String(heads) }),
      ...(convention && { convention }),
      ...(texts.start === "projections" && !startsWithWeights(given) && { start: texts.start }),
    },
    edits: edits.map(([name, text]) => `${name}=${text}`),
  });
}

/** What is asked of the lab: the fields that are shown and filled in. */
export function filledFields(texts: Texts): Omit<Texts, "start"> {
  const { mask, heads, convention } = texts;
  const given = filled(texts.given, [...givenFields(texts), ...OPTIONAL]);
  const steps = [...gotFields(texts), ...gradientFields(texts)];
  return { given, got: filled(texts.got, steps), mask, heads, convention: heads > 1 ? convention : "" };
}

const filled = (texts: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.filter((name) => texts[name]?.trim()).map((name) => [name, texts[name]!]));
