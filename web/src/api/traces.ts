// Traces: asked for by what is wanted, then read by their key. A trace that the lab has let go is asked for again.
import type * as a from "../answers";
import type { Part } from "../figures/heatmap";
import { ask, tell } from "./ask";
import { ProblemError } from "./problem";

/** What is left out is as the source says itself. */
export type Wanted = Partial<Omit<a.Wanted, "edits" | "symbols">> & {
  edits?: readonly string[];
  symbols?: readonly string[];
};

const TRACES = "/api/traces/";
const GONE = "lab.gone";
const wanted = new Map<string, Wanted>();

export async function openTrace(wish: Wanted, signal?: AbortSignal): Promise<a.Overview> {
  const overview = await tell<a.Overview>("/api/traces", wish, signal);
  wanted.set(overview.key, wish);
  return overview;
}

/** Something of a trace, by one of the paths below. */
export async function askTrace<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  try {
    return await ask<Answer>(path, signal);
  } catch (error) {
    const wish = wanted.get(path.slice(TRACES.length).split("/")[0]!);
    if (!wish || !(error instanceof ProblemError) || error.problem.key !== GONE) throw error;
    await openTrace(wish, signal);
    return ask<Answer>(path, signal);
  }
}

// -- what can be asked of a trace ------------------------------------------------------------------

export const flowPath = (key: string, under: string): string =>
  `${TRACES}${key}/flow${under && `?under=${encodeURIComponent(under)}`}`;

export const stepPath = (key: string, step: string): string => `${TRACES}${key}/steps/${encodeURIComponent(step)}`;

/** An entry; the one of a single number has the index "-". */
export const cellPath = (key: string, step: string, index: readonly number[]): string =>
  `${stepPath(key, step)}/cells/${index.length ? index.join(",") : "-"}`;

/** The numbers of a part of the matrix at `lead`. */
export const windowPath = (key: string, step: string, lead: readonly number[], part: Part): string =>
  `${stepPath(key, step)}/window?${partQuery(lead, part)}`;

/** How large the numbers of a part are, one of every `stride`. */
export const tilePath = (key: string, step: string, lead: readonly number[], part: Part, stride: number): string =>
  `${stepPath(key, step)}/tile?${partQuery(lead, part)}&stride=${stride}`;

function partQuery(lead: readonly number[], { row, column, rows, columns }: Part): string {
  const where = lead.length ? `lead=${lead.join(",")}&` : "";
  return `${where}row=${row}&column=${column}&rows=${rows}&columns=${columns}`;
}
