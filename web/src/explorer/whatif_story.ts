// Undo and redo. The address is the state, so the story is only what the address was: a step back in the browser is an
// undo, and what is undone here can be seen in the address.
import type { View } from "../address/view";
import { withSettings } from "./place";

/** The part of a view that changes numbers, or how they are written. */
export interface Changes {
  readonly edits: readonly string[];
  readonly precision: string;
  readonly convention: string;
  readonly notation: string;
}

export interface Story {
  /** Which trace it is about: another one has a story of its own. */
  readonly about: string;
  readonly past: readonly Changes[];
  readonly now: Changes;
  readonly future: readonly Changes[];
}

const KEYS = ["precision", "convention", "notation"] as const;
const NOTHING: Changes = { edits: [], precision: "", convention: "", notation: "" };

export function changesOf({ settings, edits }: View): Changes {
  const { precision = "", convention = "", notation = "" } = settings;
  return { edits, precision, convention, notation };
}

export const isUnchanged = (view: View): boolean => isSame(changesOf(view), NOTHING);

/** The view with these changes instead of its own. */
export const withChanges = (view: View, { edits, ...settings }: Changes): View => withSettings({ ...view, edits }, settings);

export const withoutChanges = (view: View): View => withChanges(view, NOTHING);

export const newStory = (view: View): Story => ({ about: aboutOf(view), past: [], now: changesOf(view), future: [] });

/** The story after the address has become this view, by whatever way: an edit, undo, redo, or the browser's buttons. */
export function storyAfter(story: Story, view: View): Story {
  const { about, past, now, future } = story;
  if (about !== aboutOf(view)) return newStory(view);
  const next = changesOf(view);
  if (isSame(next, now)) return story;
  if (past.length > 0 && isSame(next, past.at(-1)!)) {
    return { about, past: past.slice(0, -1), now: next, future: [now, ...future] };
  }
  if (future.length > 0 && isSame(next, future[0]!)) {
    return { about, past: [...past, now], now: next, future: future.slice(1) };
  }
  return { about, past: [...past, now], now: next, future: [] };
}

/** The story when the last change is only carried on, as by a second key in the same field. */
export const carriedOn = (story: Story, view: View): Story => ({ ...story, now: changesOf(view), future: [] });

export const aboutOf = ({ name, settings }: View): string => JSON.stringify([name, settings.scenario, settings.run]);

const isSame = (one: Changes, other: Changes): boolean =>
  KEYS.every((key) => one[key] === other[key]) &&
  one.edits.length === other.edits.length &&
  one.edits.every((edit, place) => edit === other.edits[place]);
