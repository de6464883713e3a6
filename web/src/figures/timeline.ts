// A trace as a line of time: the told steps in the order in which they are computed, in stretches of one stage.
import type { Overview, StepRow } from "../answers";

export type Stage = StepRow["stage"];
export const STAGES: Readonly<Record<Stage, string>> = { forward: "Forward", backward: "Backward", update: "Update" };

/** From the moment `first` on, `count` moments of one stage. */
export interface Stretch {
  readonly stage: Stage;
  readonly first: number;
  readonly count: number;
}

export interface Timeline {
  readonly moments: readonly StepRow[];
  readonly stretches: readonly Stretch[];
}

export function timelineOf({ steps }: Pick<Overview, "steps">): Timeline {
  const moments = steps.filter((step) => step.told);
  const stretches: Stretch[] = [];
  moments.forEach(({ stage }, moment) => {
    const last = stretches.at(-1);
    if (stage === "update" && last && isBeforeUpdate(stretches)) stretches[stretches.length - 1] = { ...last, stage, count: last.count + 1 };
    else if (last?.stage === stage) stretches[stretches.length - 1] = { ...last, count: last.count + 1 };
    else stretches.push({ stage, first: moment, count: 1 });
  });
  return { moments, stretches };
}

/** What is computed between backward and update, such as the norm of the gradients, prepares the update. */
const isBeforeUpdate = (stretches: readonly Stretch[]): boolean =>
  stretches.at(-1)?.stage === "forward" && stretches.at(-2)?.stage === "backward";

/** The moment at which a step is there; of one that is not told by itself, the first told one after it. */
export function momentOf({ steps }: Pick<Overview, "steps">, id: string): number {
  const outer = id.split(".")[0];
  let moment = 0;
  for (const step of steps) {
    if (step.id === outer) return moment;
    if (step.told) moment += 1;
  }
  return -1;
}

/** The steps that are not computed yet at a moment; nothing at all is hidden where no moment is chosen. */
export function laterThan({ steps }: Pick<Overview, "steps">, moment: number | undefined): ReadonlySet<string> {
  if (moment === undefined) return new Set();
  let passed = -1;
  const later: string[] = [];
  for (const step of steps) {
    if (passed >= moment) later.push(step.id);
    if (step.told) passed += 1;
  }
  return new Set(later);
}

/** Ticks stand apart, or not at all: what cannot be told apart says nothing. */
export const hasTicks = (count: number, width: number): boolean => count > 0 && width / count >= 4;

/** The moment under a pointer, from the share of the line that lies before it. */
export const momentAt = (share: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor(share * count)));
