// What if: how edits, precision, convention and notation stand in a view. Nothing here asks the lab, and no number of the
// model is computed: edits are texts, and the lab reads them.
import type { Overview, StepRow } from "../answers";
import type { View } from "../address/view";
import type { Wanted } from "../api/traces";

// -- which trace a view wants ----------------------------------------------------------------------

export function wantedOf({ name, settings, edits }: View): Wanted {
  const { scenario, run, precision, convention, numbers } = settings;
  const { countFrom, vectors, symbols } = readNotation(settings.notation ?? "");
  return {
    ...(scenario ? { scenario } : { source: name }),
    ...(run && { run }),
    ...(precision && { precision }),
    ...(convention && { convention }),
    ...(numbers === "distinguishing" && { numbers }),
    ...(/^\d{1,2}$/.test(settings.digits ?? "") && { digits: Number(settings.digits) }),
    ...(countFrom !== undefined && { count_from: countFrom }),
    ...(vectors && { vectors }),
    ...(symbols.length > 0 && { symbols }),
    ...(edits.length > 0 && { edits }),
  };
}

// -- edits -----------------------------------------------------------------------------------------

/** The place that an edit changes: of `W_Q[0][1]=0.3` it is `W_Q[0][1]`. */
export const placeOf = (edit: string): string => edit.split("=", 1)[0]!.trim();

/** With one more edit. Those of the same place, and of places inside it, would not be seen any more: they go. */
export function withEdit(view: View, place: string, value: string): View {
  const kept = view.edits.map((edit) => ({ edit, at: placeOf(edit) })).filter(({ at }) => !isWithin(at, place));
  return { ...view, edits: [...kept.map(({ edit }) => edit), `${place}=${value}`] };
}

const isWithin = (place: string, whole: string): boolean => place === whole || place.startsWith(`${whole}[`);

export const withoutEdit = (view: View, place: string): View => ({
  ...view,
  edits: view.edits.filter((edit) => placeOf(edit) !== place),
});

// -- what somebody types ---------------------------------------------------------------------------

/** A number as it can be typed again: all its digits, but not the noise behind the twelfth. */
export const typed = (value: number | string): string =>
  typeof value === "number" ? String(Number(value.toPrecision(12))) : value;

/** What is typed, a step up or down; nothing if it is no plain number (a fraction is read by the lab alone). */
export function stepped(text: string, by: number): string | undefined {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() && Number.isFinite(value) ? typed(value + by) : undefined;
}

// -- precision -------------------------------------------------------------------------------------

export type Unit = "significant" | "decimals";
export interface Calculator {
  readonly digits: number;
  readonly unit: Unit;
}
export const CALCULATOR: Calculator = { digits: 4, unit: "significant" };

/** The calculator that a precision means; nothing for floating point. */
export function calculatorOf(precision: string): Calculator | undefined {
  const found = /^calculator (\d+) (significant|decimals?)$/.exec(precision);
  return found ? { digits: Number(found[1]), unit: found[2] === "significant" ? "significant" : "decimals" } : undefined;
}

export const precisionOf = ({ digits, unit }: Calculator): string => `calculator ${digits} ${unit}`;

// -- notation: `from 1,column,weights=α` -----------------------------------------------------------

export interface Notation {
  readonly countFrom: 0 | 1 | undefined; // undefined: as the scenario says
  readonly vectors: "row" | "column" | undefined;
  readonly symbols: readonly string[];
}

export function readNotation(text: string): Notation {
  const parts = text.split(",").map((part) => part.trim());
  return {
    countFrom: ([0, 1] as const).find((first) => parts.includes(`from ${first}`)),
    vectors: (["row", "column"] as const).find((vectors) => parts.includes(vectors)),
    symbols: parts.filter((part) => part.includes("=")),
  };
}

export const writeNotation = ({ countFrom, vectors, symbols }: Notation): string =>
  [countFrom === undefined ? "" : `from ${countFrom}`, vectors ?? "", ...symbols].filter(Boolean).join(",");

// -- what changed ----------------------------------------------------------------------------------

export interface ChangedSteps {
  readonly stage: StepRow["stage"];
  readonly rows: readonly StepRow[];
}

/** The steps of the story whose numbers the edits changed, stage after stage, in the order of computing. */
export function changedSteps({ steps, changed }: Pick<Overview, "steps" | "changed">): ChangedSteps[] {
  const ids = new Set(changed);
  const rows = steps.filter((row) => row.told && ids.has(row.id));
  return (["forward", "backward", "update"] as const)
    .map((stage) => ({ stage, rows: rows.filter((row) => row.stage === stage) }))
    .filter(({ rows }) => rows.length > 0);
}

// -- what can be changed ---------------------------------------------------------------------------

/** The weights and given matrices that a step is computed from, those nearest to it first. */
export function sourcesOf({ steps }: Pick<Overview, "steps">, row: StepRow): StepRow[] {
  const rows = new Map(steps.map((step) => [step.id, step]));
  const seen = new Set([row.id]);
  const found: StepRow[] = [];
  for (const id of seen) { // which grows while it is walked through
    for (const read of rows.get(id)?.reads ?? []) {
      if (seen.has(read)) continue;
      seen.add(read);
      if (rows.get(read)?.editable) found.push(rows.get(read)!);
    }
  }
  return found;
}
