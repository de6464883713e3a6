// What went wrong, as an exception that still knows what to try.
import type { Problem } from "../answers";

export class ProblemError extends Error {
  constructor(
    readonly problem: Problem,
    readonly status = 0,
  ) {
    super(problem.what);
  }
}

/** The problems that the browser notices itself. */
export const PROBLEMS = {
  offline: {
    what: "This file does not contain that page.",
    try_this: "It needs the lab: run `workings`, then open the same address there, from the # on.",
  },
  unreachable: {
    what: "The lab does not respond.",
    try_this: "Check that it is still running where you started it, then try again.",
  },
  unexpected: {
    what: "Something unexpected went wrong.",
    try_this: "Reload the page. If it happens again, please report it.",
  },
  nowhere: {
    what: "This page does not exist.",
    try_this: "Choose a page from the menu above.",
  },
} as const satisfies Record<string, Pick<Problem, "what" | "try_this">>;

export const problemOf = (key: keyof typeof PROBLEMS, where: string): ProblemError =>
  new ProblemError({ key: `lab.${key}`, ...PROBLEMS[key], where, given: "" });

/** Whatever was thrown, as a problem that a page can show; nothing for a request that is no longer wanted. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof DOMException && error.name === "AbortError") return undefined;
  console.error(error);
  return problemOf("unexpected", "").problem;
}
