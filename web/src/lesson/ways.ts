// Where a lesson is found, where it leads, and what stands beside it on the path.
import type { LessonEntry, LessonPath } from "../answers";
import { addressOf, type View, view as viewOf } from "../address/view";
import type { Ways } from "../blocks/contexts";
import { type Plan, stepId } from "../blocks/plan";

const CHOSEN = ["digits", "precision", "convention"] as const;

/** The path under which the lab gives the document, with what was chosen for it. */
export function pathOf({ name, settings }: View): string {
  const query = CHOSEN.filter((key) => settings[key]).map((key) => `${key}=${encodeURIComponent(settings[key]!)}`);
  return `/api/lessons/${encodeURIComponent(name)}${query.length ? `?${query.join("&")}` : ""}`;
}

/** A step in a lesson is `run:id`. */
export function runAndStep(step: string): { run: string; id: string } {
  const end = step.lastIndexOf(":");
  return end < 0 ? { run: "", id: step } : { run: step.slice(0, end), id: step.slice(end + 1) };
}

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
export function exploreAddress({ settings }: View, source: string, run: string, place: string): string {
  const kept = Object.fromEntries(CHOSEN.filter((key) => settings[key]).map((key) => [key, settings[key]]));
  const named = run && run !== "default" ? { run } : {};
  return addressOf(viewOf("explore", { name: source, place, settings: { ...kept, ...named } }));
}

export interface Neighbours {
  before: LessonEntry | undefined;
  here: LessonEntry | undefined;
  after: LessonEntry | undefined;
}

export function neighbours(path: LessonPath | undefined, name: string): Neighbours {
  const all = path?.parts.flatMap(({ lessons }) => lessons) ?? [];
  const n = all.findIndex((lesson) => lesson.name === name);
  return n < 0
    ? { before: undefined, here: undefined, after: undefined }
    : { before: all[n - 1], here: all[n], after: all[n + 1] };
}
