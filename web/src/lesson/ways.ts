// Where a lesson is found, where it leads, and what stands beside it on the path.
import type { LessonEntry, LessonPath } from "../answers";
import { addressOf, type View, view as viewOf } from "../address/view";
import type { Ways } from "../blocks/contexts";
import { type Plan, stepId } from "../blocks/plan";
import { readPlace, writePlace } from "../explorer/place";

const CHOSEN = ["digits", "precision", "convention", "numbers"] as const;

/** The path under which the lab gives the document, with what was chosen for it and changed in it. */
export function pathOf({ name, settings, edits }: View): string {
  const chosen = CHOSEN.filter((key) => settings[key]).map((key) => `${key}=${encodeURIComponent(settings[key]!)}`);
  const query = [...chosen, ...edits.map((edit) => `edit=${encodeURIComponent(withRun(edit))}`)];
  return `/api/lessons/${encodeURIComponent(name)}${query.length ? `?${query.join("&")}` : ""}`;
}

/** A step in a lesson is `run:id`. */
export function runAndStep(step: string): { run: string; id: string } {
  const end = step.lastIndexOf(":");
  return end < 0 ? { run: "", id: step } : { run: step.slice(0, end), id: step.slice(end + 1) };
}

// -- a number of a lesson, and an edit of one ------------------------------------------------------

const USUAL = "default";

/** In the address, `weights[1][0]` is an entry of the usual run, and `twin:weights[1][0]` one of another. */
export const prefixOf = (run: string): string => (run === USUAL ? "" : `${run}:`);

/** An edit as the lab reads it: a number of a lesson has the run in which it stands before its name. */
export const withRun = (edit: string): string => (/^[\w.-]+:/.test(edit) ? edit : `${USUAL}:${edit}`);

export const writeNumber = (run: string, step: string, index: readonly number[]): string => writePlace(prefixOf(run) + step, index);

export function readNumber(text: string): { run: string; name: string; index: readonly number[] } {
  const { name, index = [] } = readPlace(text);
  const { run, id } = runAndStep(name);
  return { run: run || USUAL, name: id, index };
}

/** The view of a run of a lesson, with what was chosen and changed in the lesson. */
export function tracedView({ name, settings, edits }: View, run: string): View {
  const kept = Object.fromEntries(CHOSEN.filter((key) => settings[key]).map((key) => [key, settings[key]]));
  return viewOf("explore", { name, settings: { ...kept, ...(run !== USUAL && { run }) }, edits: edits.map(withRun) });
}

// -- where it leads --------------------------------------------------------------------------------

/** A step leads to its matrix in the lesson if it stands there, else to the explorer. */
export function waysOf(view: () => View, plan: () => Plan | undefined, openNumber: NonNullable<Ways["openNumber"]>): Ways {
  return {
    openNumber,
    inDialog: true,
    stepAddress: (step) => {
      const id = stepId(step);
      const there = [...(plan()?.ids.values() ?? [])].includes(id);
      const { run, id: place } = runAndStep(step);
      return there ? addressOf({ ...view(), place: id }) : exploreAddress(view(), view().name, run, place);
    },
    placeAddress: (place) => addressOf({ ...view(), place }),
  };
}

/** A step or an entry in the explorer, with what was chosen for the lesson. */
export function exploreAddress(view: View, source: string, run: string, place: string): string {
  const traced = tracedView(view, run || USUAL);
  const own = `${run || USUAL}:`; // what is changed in this run is changed there as anything else
  const edits = traced.edits.map((edit) => (edit.startsWith(own) ? edit.slice(own.length) : edit));
  return addressOf({ ...traced, name: source, place, edits });
}

export interface Neighbors {
  before: LessonEntry | undefined;
  here: LessonEntry | undefined;
  after: LessonEntry | undefined;
}

export function neighbors(path: LessonPath | undefined, name: string): Neighbors {
  const all = path?.parts.flatMap(({ lessons }) => lessons) ?? [];
  const n = all.findIndex((lesson) => lesson.name === name);
  return n < 0
    ? { before: undefined, here: undefined, after: undefined }
    : { before: all[n - 1], here: all[n], after: all[n + 1] };
}
