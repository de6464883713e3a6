// What went wrong, as an exception that still knows what to try.
import type { Problem } from "../answers";
import { say } from "../words/say";

export class ProblemError extends Error {
  constructor(
    readonly problem: Problem,
    readonly status = 0,
  ) {
    super(problem.what);
  }
}

/** A problem that the browser notices itself; its sentences are in the catalogue, as `lab.problem.KEY`. */
export function problemOf(key: "offline" | "unreachable" | "unexpected" | "nowhere", where: string): ProblemError {
  const what = say(`lab.problem.${key}`);
  return new ProblemError({ key: `lab.${key}`, what, where, given: "", try_this: say(`lab.problem.${key}.try`) });
}

/** Whatever was thrown, as a problem that a page can show; nothing for a request that is no longer wanted. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof DOMException && error.name === "AbortError") return undefined;
  console.error(error);
  return problemOf("unexpected", "").problem;
}
