// Where somebody stands in a trace, and how it is written in the address: `weights[1][0]`, under the module that is open.
import type { FlowNode, Overview, StepRow } from "../answers";
import type { Setting, View } from "../address/view";

export interface Place {
  /** The name of a step; one inside a composite is called weights/exp, or by its id, such as 14.3. */
  readonly name: string;
  readonly index: readonly number[] | undefined;
}

export function readPlace(text: string): Place {
  const [, name = "", brackets = ""] = /^(.*?)((?:\[\d+\])*)$/s.exec(text) ?? [];
  const index = [...brackets.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return { name, index: index.length ? index : undefined };
}

export const writePlace = (name: string, index: readonly number[] = []): string =>
  name + index.map((position) => `[${position}]`).join("");

/** The steps of a trace by their ids and by their names. */
export interface Steps {
  readonly byId: ReadonlyMap<string, StepRow>;
  readonly byName: ReadonlyMap<string, StepRow>;
}

export const stepsOf = ({ steps }: Pick<Overview, "steps">): Steps => ({
  byId: new Map(steps.map((step) => [step.id, step])),
  byName: new Map(steps.map((step) => [step.name, step])),
});

/** The id of the step that is meant; what nobody knows is asked for as it stands, and the lab says what is wrong. */
export const idOf = ({ byName }: Steps, name: string): string => byName.get(name)?.id ?? name;

/** Whether a name may mean a step: those inside a composite are known to the lab only. */
export const isKnown = ({ byId, byName }: Steps, name: string): boolean =>
  byName.has(name) || byId.has(/^\d+(\.\d+)*$/.test(name) ? name.split(".")[0]! : name);

/** Which step is meant. One inside a composite is known once the lab has told what is in there: until then its id is
 * empty, and the page of what it lies in is asked for. */
export function resolveStep(steps: Steps, inner: readonly StepRow[], name: string): { id: string; pageId: string } {
  const known = inner.find((row) => row.name === name)?.id ?? (isKnown(steps, name) ? idOf(steps, name) : "");
  if (known || !name.includes("/")) return { id: known, pageId: known };
  return { id: "", pageId: resolveStep(steps, inner, name.slice(0, name.lastIndexOf("/"))).pageId };
}

/** The same entry of a step inside or around this one: where an axis was summed up, its one place. */
export const carried = (index: readonly number[] | undefined, shape: readonly number[]): readonly number[] | undefined =>
  index?.length === shape.length && shape.length ? index.map((at, axis) => Math.min(at, shape[axis]! - 1)) : undefined;

/** The steps that somebody may have meant: of the same name in a module, else of one that contains it or is contained. */
export function suggestedSteps({ steps }: Pick<Overview, "steps">, name: string, most = 8): readonly StepRow[] {
  const last = name.split(".").at(-1)!.toLowerCase();
  const inStory = steps.filter((step) => step.told);
  const same = inStory.filter((step) => step.name.toLowerCase().split(".").at(-1) === last);
  const near = inStory.filter((step) => step.name.toLowerCase().includes(last) || last.includes(step.name.toLowerCase()));
  const found = same.length ? same : near.length ? near : inStory.filter((step) => step.kind !== "leaf");
  return found.slice(0, most);
}

/** What is shown first: the first number to watch, else what the forward pass leads to. */
export const firstShown = ({ steps, headline }: Pick<Overview, "steps" | "headline">): StepRow | undefined =>
  steps.find((step) => step.id === headline[0]?.number.step) ??
  steps.findLast((step) => step.told && step.stage === "forward" && step.kind !== "leaf") ??
  steps[0];

/** The entry of a step that is chosen. A single number needs no choosing. */
export function entryOf(row: StepRow, place: Place): readonly number[] | undefined {
  if (row.shape.length === 0) return place.index ? undefined : [];
  return place.index && isWithin(place.index, row) ? place.index : undefined;
}

function isWithin(index: readonly number[], { shape, turned }: StepRow): boolean {
  const sizes = turned ? [...shape.slice(0, -2), ...shape.slice(-2).reverse()] : shape;
  return index.length === sizes.length && index.every((at, axis) => at < sizes[axis]!);
}

/** The matrix of a step with more than two axes: that of the chosen entry, else the one in the address, else the first. */
export function leadOf(row: StepRow, index: readonly number[] | undefined, lead = ""): readonly number[] {
  const outer = row.shape.slice(0, -2);
  if (index && index.length === row.shape.length) return index.slice(0, outer.length);
  const given = lead.split(",").map(Number);
  const fits = given.length === outer.length && given.every((at, axis) => at >= 0 && at < outer[axis]!);
  return fits ? given : outer.map(() => 0);
}

/** The module that must be open so that a step is seen in the flow: the open one, if it is there already. */
export function moduleShowing(row: StepRow, { byId }: Steps, nodes: readonly FlowNode[], open: string): string {
  const drawn = forwardTwin(row, byId);
  return nodes.some((node) => !node.module && node.step === drawn.id) ? open : drawn.module;
}

/** A gradient, and what an update makes, are seen at what they are of. */
export function forwardTwin(row: StepRow, byId: Steps["byId"]): StepRow {
  const outer = byId.get(row.id.split(".")[0]!) ?? row;
  const twin = outer.stage === "forward" ? undefined : byId.get(outer.twin);
  return twin ? forwardTwin(twin, byId) : outer;
}

/** The part of a title that only says in which module its step lies: `head1.` of head1.weights. */
export function prefixOf({ title, module }: Pick<StepRow, "title" | "module">): string {
  const parts = module.split(".");
  const paths = parts.map((_, first) => `${parts.slice(first).join(".")}.`);
  return paths.find((path) => path !== "." && title.startsWith(path)) ?? "";
}

/** The view with these settings; an empty one is left out. */
export function withSettings(view: View, settings: Partial<Record<Setting, string>>): View {
  const all = Object.entries({ ...view.settings, ...settings }).filter(([, value]) => value);
  return { ...view, settings: Object.fromEntries(all) };
}
