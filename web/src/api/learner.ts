// The code of a learner, kept by the browser. There is one only after somebody asked that progress be remembered.
import type { Learner } from "../answers";
import { ask, remove, tell } from "./ask";

const SHELF = "workings-learner";

/** What is said wherever progress can be saved. */
export const SAVE_PROGRESS = "Save my progress";
export const SAVED_UNDER = "Under a random code; no name needed.";
export const SEE_PROGRESS = "See my progress";
export const NOT_STORED =
  "Not stored: a name, an address, what you typed. Nothing leaves the machine on which the lab runs.";

export function learnerCode(): string {
  try {
    return localStorage.getItem(SHELF) ?? "";
  } catch {
    return ""; // a page that may not remember anything has no learner
  }
}

/** From now on progress is remembered under a new code, or under one from another browser. */
export async function remember(code = ""): Promise<Learner> {
  const before = learnerCode();
  if (code) localStorage.setItem(SHELF, code);
  try {
    const learner = code ? await ask<Learner>("/api/me") : await tell<Learner>("/api/learners", {});
    localStorage.setItem(SHELF, learner.code);
    return learner;
  } catch (error) {
    if (before) localStorage.setItem(SHELF, before); // a code that is not known takes no good one away
    else leave();
    throw error;
  }
}

/** Everything that is known about the learner is removed, here and in the lab. */
export async function forget(): Promise<void> {
  await remove("/api/me");
  leave();
}

/** This browser no longer knows the code; what the lab keeps under it stays. */
export function leave(): void {
  localStorage.removeItem(SHELF);
}

/** The learner, if there is one. */
export async function me(): Promise<Learner | undefined> {
  return learnerCode() ? ask<Learner>("/api/me") : undefined;
}

/** A lesson was opened; nobody who is not remembered is counted. */
export async function opened(lesson: string): Promise<void> {
  if (learnerCode()) await tell("/api/me/opened", { lesson });
}
