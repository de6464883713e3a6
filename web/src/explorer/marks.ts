// What is marked at the nodes of a flow: none of it by color alone, and each can be said.
import type { FlowNode } from "../answers";
import type { Here } from "./here.svelte";

export interface Marks {
  readonly selected: boolean;
  /** The selected step lies in this module. */
  readonly within: boolean;
  readonly reads: boolean;
  readonly feeds: boolean;
  readonly changed: boolean;
  readonly later: boolean;
  /** On the way through time: its gradient is there, or it has been updated. */
  readonly gradient: boolean;
  readonly updated: boolean;
}

type Mark = keyof Marks;
/** What is said about each mark, in this order. */
export const SPOKEN: Readonly<Record<Mark, string>> = {
  selected: "selected",
  within: "contains the selected step",
  reads: "input of the selected step",
  feeds: "uses the selected step",
  changed: "changed by your edits",
  later: "not computed yet",
  gradient: "gradient computed",
  updated: "updated",
};

export const spokenMarks = (marks: Marks): readonly string[] =>
  (Object.keys(SPOKEN) as Mark[]).filter((mark) => marks[mark]).map((mark) => SPOKEN[mark]);

type Standing = Pick<Here, "drawn" | "steps" | "changed" | "later" | "moment" | "overview">;

export function marksOf(node: FlowNode, here: Standing): Marks {
  const { drawn, steps, later } = here;
  const under = (path: string): boolean => node.module !== "" && (path === node.module || path.startsWith(`${node.module}.`));
  const holds = (id: string): boolean => (node.module ? under(steps.byId.get(id)?.module ?? "") : id === node.step);
  const selected = !node.module && drawn?.id === node.step;
  const within = node.module !== "" && drawn !== undefined && under(drawn.module);
  const row = steps.byId.get(node.step);
  const reached = here.moment !== undefined;
  return {
    selected,
    within,
    reads: !selected && !within && (drawn?.reads.some(holds) ?? false),
    feeds: !selected && !within && (drawn?.read_by.some(holds) ?? false),
    changed: node.module ? [...here.changed].some((id) => isForward(id, here) && holds(id)) : here.changed.has(node.step),
    later: later.has(node.step),
    gradient: reached && !node.module && !!row?.gradient && !later.has(row.gradient),
    updated: reached && !node.module && isUpdated(node.step, here),
  };
}

/** The flow is that of the forward pass: gradients change nearly everywhere. */
const isForward = (id: string, { steps }: Standing): boolean => steps.byId.get(id)?.stage === "forward";

const isUpdated = (id: string, { overview, later }: Standing): boolean =>
  overview?.steps.some((step) => step.stage === "update" && step.twin === id && !later.has(step.id)) ?? false;
