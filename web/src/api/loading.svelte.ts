// An answer on its way to a page: not there yet, there, or a problem.
import { onDestroy, untrack } from "svelte";
import type { Problem } from "../answers";
import { Latest } from "./latest";
import { asProblem } from "./problem";

type Request<Answer> = (signal: AbortSignal) => Promise<Answer>;

/** While the next answer is on its way, the last one stays, unless it is about something else: a page that flickers cannot
 * be read, and what stands under an address must belong to it. */
export class Loading<Answer> {
  answer = $state.raw<Answer>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  readonly #latest = new Latest();
  #about = "";

  /** What came of it; nothing if that is a problem, or if nobody waits for it any more. */
  async load(request: Request<Answer>, about = ""): Promise<Answer | undefined> {
    if (about !== this.#about) this.answer = undefined;
    this.#about = about;
    this.problem = undefined;
    this.busy = true;
    try {
      this.answer = await this.#latest.run(request);
      this.busy = false;
      return this.answer;
    } catch (error) {
      const problem = asProblem(error);
      if (!problem) return undefined; // something newer is on its way, or nobody waits any more
      this.problem = problem;
      this.busy = false;
      return undefined;
    }
  }

  /** Nobody waits any more for what is on its way. */
  stop(): void {
    this.#latest.stop();
    this.busy = false;
  }

  clear(): void {
    this.stop();
    this.answer = undefined;
    this.problem = undefined;
  }
}

/** An answer that is asked for when somebody acts. It is made with a component, and given up with it. */
export function loading<Answer>(): Loading<Answer> {
  const made = new Loading<Answer>();
  onDestroy(() => made.stop());
  return made;
}

/** Asks whenever the wish becomes another text, and never for anything else that the request may read. */
export function follow<Answer>(
  made: Loading<Answer>,
  wish: () => string | undefined,
  request: (wish: string, signal: AbortSignal) => Promise<Answer>,
  about: () => string = () => "",
): Loading<Answer> {
  const wished = $derived.by(wish);
  const of = $derived.by(about);
  $effect(() => {
    const [text, subject] = [wished, of];
    if (!text) return;
    untrack(() => void made.load((signal) => request(text, signal), subject));
    return () => made.stop();
  });
  return made;
}

/** An answer that follows from what a page shows: made with the page, asked for anew as its wish changes, given up with it. */
export const following = <Answer>(
  wish: () => string | undefined,
  request: (wish: string, signal: AbortSignal) => Promise<Answer>,
  about?: () => string,
): Loading<Answer> => follow(new Loading<Answer>(), wish, request, about);
