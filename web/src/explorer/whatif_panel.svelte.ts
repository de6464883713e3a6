// What the fields of the panel share. A change is tried first: one that the lab refuses stays beside its field, and the
// page and the address keep their last good state.
import type { Problem } from "../answers";
import type { View } from "../address/view";
import { Latest } from "../api/latest";
import { asProblem } from "../api/problem";
import { openView } from "./whatif_opening";
import { carriedOn, newStory, type Story, told, withChanges } from "./whatif_story";

export type Change = (next: View, how?: { replace: boolean }) => void;

let last: Story | undefined; // so that it is not forgotten while another panel is open

export class Panel {
  busy = $state(false);
  #story = $state.raw<Story>()!;
  #refused = $state.raw<{ field: string; problem: Problem }>();
  #pending: View | undefined; // tried, and not yet in the address
  #carried = ""; // the field in which somebody goes on typing
  readonly #latest = new Latest();

  constructor(
    private readonly view: () => View,
    private readonly change: Change,
  ) {
    this.#story = last ? told(last, view()) : newStory(view());
  }

  /** The address has become another, by whatever way. */
  see(view: View): void {
    last = this.#story = told(this.#story, view);
  }

  /** What the lab said against the last change in a field. */
  problemOf(field: string): Problem | undefined {
    return this.#refused?.field === field ? this.#refused.problem : undefined;
  }

  /** Tries a change, and shows it if the lab can compute it. A change goes on top of one that is under way. */
  async attempt(field: string, changed: (view: View) => View): Promise<void> {
    const next = changed(this.#pending ?? this.view());
    this.#pending = next;
    this.busy = true;
    try {
      await this.#latest.run((signal) => openView(next, signal));
      this.#refused = undefined;
      this.#show(field, next);
    } catch (error) {
      const problem = asProblem(error);
      if (!problem) return; // a later change is under way
      this.#refused = { field, problem };
    }
    this.#pending = undefined;
    this.busy = false;
  }

  /** Somebody leaves the field: what comes next is a change of its own. */
  leave(): void {
    this.#carried = "";
  }

  #show(field: string, next: View): void {
    const replace = this.#carried === field;
    if (replace) this.#story = carriedOn(this.#story, next);
    this.#carried = field;
    this.change(next, { replace });
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

  /** A view that was seen before, or needs no trial. */
  #become(changed: (view: View) => View): void {
    this.leave();
    this.#refused = undefined;
    this.change(changed(this.view()));
  }
}
