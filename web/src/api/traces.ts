// Traces: asked for by what is wanted, then read by their key. A trace that the lab has let go is asked for again.
import type * as a from "../answers";
import { ask, tell } from "./ask";
import { ProblemError } from "./problem";

/** What is left out is as the source says itself. */
export type Wanted = Partial<Omit<a.Wanted, "edits" | "symbols">> & {
  edits?: readonly string[];
  symbols?: readonly string[];
};

const GONE = "lab.gone";
const wanted = new Map<string, Wanted>();

export async function openTrace(wish: Wanted, signal?: AbortSignal): Promise<a.Overview> {
  const overview = await tell<a.Overview>("/api/traces", wish, signal);
  wanted.set(overview.key, wish);
  return overview;
}

/** Something of a trace: `askTrace(key, "steps/17/cells/1,0")`. */
export async function askTrace<Answer>(key: string, rest: string, signal?: AbortSignal): Promise<Answer> {
  const path = `/api/traces/${key}/${rest}`;
  try {
    return await ask<Answer>(path, signal);
  } catch (error) {
    const wish = wanted.get(key);
    if (!wish || !(error instanceof ProblemError) || error.problem.key !== GONE) throw error;
    await openTrace(wish, signal);
    return ask<Answer>(path, signal);
  }
}

/** The path of an entry, under the trace: the one of a single number has the index "-". */
export const cellPath = (step: string, index: readonly number[]): string =>
  `steps/${encodeURIComponent(step)}/cells/${index.length ? index.join(",") : "-"}`;
