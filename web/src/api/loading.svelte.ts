// An answer on its way to a page: not there yet, there, or a problem.
import type { Problem } from "../answers";
import { Latest } from "./latest";
import { asProblem } from "./problem";

/** While the next answer is on its way, the last one stays: a page that flickers cannot be read. */
export class Loading<Answer> {
  answer = $state.raw<Answer>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  readonly #latest = new Latest();

  async load(request: (signal: AbortSignal) => Promise<Answer>): Promise<void> {
    this.busy = true;
    try {
      this.answer = await this.#latest.run(request);
      this.problem = undefined;
      this.busy = false;
    } catch (error) {
      const problem = asProblem(error);
      if (!problem) return; // something newer is on its way
      this.problem = problem;
      this.busy = false;
    }
  }
}
