// What the fields of the panel share. A change is tried first: one that the lab refuses stays beside its field, and the
// page and the address keep their last good state.
import type { Problem } from "../answers";
import { go } from "../address/address.svelte";
import type { View } from "../address/view";
import { Latest } from "../api/latest";
import { asProblem } from "../api/problem";
import { openView } from "./whatif_opening";
import { aboutOf, carriedOn, newStory, type Story, storyAfter, withChanges, withoutChanges } from "./whatif_story";

type Changed = (view: View) => View;

/** A change on its way: each is tried on what the ones before it left. */
interface Attempt {
  readonly field: string;
  readonly changed: Changed;
  readonly settled: () => void;
}

let last: Story | undefined; // so that it is not forgotten while another panel is open

export class Panel {
  busy = $state(false);
  #story = $state.raw<Story>()!;
  #refused = $state.raw<Readonly<Record<string, Problem>>>({});
  #waiting: readonly Attempt[] = []; // the first one is being tried
  #carried = ""; // the field in which somebody goes on typing
  readonly #latest = new Latest();

  /** `tried` computes what a view shows, and throws where that cannot be. */
  constructor(
    private readonly view: () => View,
    private readonly tried: (view: View, signal: AbortSignal) => Promise<unknown> = openView,
  ) {
    this.#story = last ? storyAfter(last, view()) : newStory(view());
  }

  /** The address has become another, by whatever way. */
  see(view: View): void {
    last = this.#story = storyAfter(this.#story, view);
  }

  /** What the lab said against the last change in a field. */
  problemOf(field: string): Problem | undefined {
    return this.#refused[field];
  }

  // -- trying --------------------------------------------------------------------------------------

  /** Tries a change, and shows it if the lab can compute it. It waits for those before it; of several in one field only the
   * last one counts. */
  attempt(field: string, changed: Changed): Promise<void> {
    return new Promise((settled) => {
      const [first, ...others] = this.#waiting;
      const kept = others.filter((other) => other.field !== field || (other.settled(), false));
      this.#waiting = [...(first ? [first] : []), ...kept, { field, changed, settled }];
      this.busy = true;
      if (!first) void this.#tryFirst();
      else if (first.field === field) this.#latest.stop();
    });
  }

  /** Nothing that is on its way is shown any more. */
  stop(): void {
    for (const { settled } of this.#waiting) settled();
    this.#waiting = [];
    this.#latest.stop();
    this.busy = false;
  }

  async #tryFirst(): Promise<void> {
    const attempt = this.#waiting[0];
    if (!attempt) return;
    const { field, changed, settled } = attempt;
    const before = this.view();
    try {
      await this.#latest.run((signal) => this.tried(changed(before), signal));
      const now = this.view(); // somebody may look at another step by now
      if (aboutOf(now) === aboutOf(before)) {
        this.#refuse(field, undefined);
        this.#show(field, changed(now));
      }
    } catch (error) {
      const problem = asProblem(error);
      if (problem) this.#refuse(field, problem);
    }
    if (this.#waiting[0] !== attempt) return; // it was stopped
    settled();
    this.#waiting = this.#waiting.slice(1);
    this.busy = this.#waiting.length > 0;
    await this.#tryFirst();
  }

  #refuse(field: string, problem: Problem | undefined): void {
    const others = Object.entries(this.#refused).filter(([name]) => name !== field);
    this.#refused = Object.fromEntries(problem ? [...others, [field, problem]] : others);
  }

  /** Somebody leaves the field: what comes next is a change of its own. */
  leave(): void {
    this.#carried = "";
  }

  #show(field: string, next: View): void {
    const replace = this.#carried === field;
    if (replace) this.#story = carriedOn(this.#story, next);
    this.#carried = field;
    go(next, { replace });
  }

  // -- undo and redo -------------------------------------------------------------------------------

  get canUndo(): boolean {
    return this.#story.past.length > 0;
  }

  get canRedo(): boolean {
    return this.#story.future.length > 0;
  }

  undo(): void {
    if (this.canUndo) this.#become((view) => withChanges(view, this.#story.past.at(-1)!));
  }

  redo(): void {
    if (this.canRedo) this.#become((view) => withChanges(view, this.#story.future[0]!));
  }

  reset(): void {
    this.#become(withoutChanges);
  }

  /** A view that was seen before, or needs no trial. */
  #become(changed: Changed): void {
    this.stop();
    this.leave();
    this.#refused = {};
    go(changed(this.view()));
  }
}
