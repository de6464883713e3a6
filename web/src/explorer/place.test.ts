import { expect, test } from "vitest";
import type { FlowNode, StepRow, Watched } from "../answers";
import { view } from "../address/view";
import { carried, entryOf, firstShown, forwardTwin, idOf, isKnown, leadOf, suggestedSteps, moduleShowing, prefixOf, readPlace, resolveStep, stepsOf, withSettings, writePlace } from "./place";

const step = (id: string, changes: Partial<StepRow> = {}): StepRow => ({
  id, path: id, name: `n${id}`, title: id, module: "", op: "mul", kind: "primitive", leaf: "", stage: "forward", axes: [],
  shape: [], turned: false, reads: [], read_by: [], twin: "", gradient: "", told: true, editable: false, ...changes,
});

const weights = step("14", { name: "weights", module: "block1.attention", shape: [2, 3, 3], gradient: "36" });
const gradient = step("36", { name: "dweights", module: "block1.attention", stage: "backward", twin: "14" });
const trace = { steps: [step("1", { kind: "leaf" }), weights, step("20", { name: "loss" }), gradient] };
const steps = stepsOf(trace);

test("a place is a name and an entry, and is written as it was read", () => {
  expect(readPlace("weights[1][0]")).toEqual({ name: "weights", index: [1, 0] });
  expect(readPlace("head1.weights")).toEqual({ name: "head1.weights", index: undefined });
  expect(readPlace("14.1[2]")).toEqual({ name: "14.1", index: [2] });
  for (const text of ["weights[1][0]", "loss", "14.1[2]", "", "a[b][3]"]) {
    const { name, index } = readPlace(text);
    expect(writePlace(name, index)).toBe(text);
  }
});

test("a name finds its step, and what is no name is taken for an id", () => {
  expect(idOf(steps, "weights")).toBe("14");
  expect(idOf(steps, "14.1")).toBe("14.1");
});

test("a name that means no step finds those that may be meant", () => {
  const heads = [step("5", { name: "head1.weights" }), step("6", { name: "head2.weights" }), step("7", { name: "scores" })];
  const names = (name: string) => suggestedSteps({ steps: heads }, name).map((found) => found.name);
  expect(names("weights")).toEqual(["head1.weights", "head2.weights"]);
  expect(names("score")).toEqual(["scores"]);
  expect(names("zzz")).toHaveLength(3);
  expect(["weights", "14", "14.1", "wieghts", "99.1"].map((name) => isKnown(steps, name))).toEqual([true, true, true, false, false]);
});

test("the first number to watch is shown first, else what the forward pass leads to", () => {
  const watched = { title: "", number: { step: "14" } as Watched["number"], before: null };
  expect(firstShown({ ...trace, headline: [watched] })?.name).toBe("weights");
  expect(firstShown({ ...trace, headline: [] })?.name).toBe("loss");
});

test("an entry must fit its step, and a single number is always chosen", () => {
  expect(entryOf(weights, readPlace("weights[0][1][2]"))).toEqual([0, 1, 2]);
  expect(entryOf(weights, readPlace("weights[0][1]"))).toBeUndefined();
  expect(entryOf(weights, readPlace("weights[0][1][3]"))).toBeUndefined();
  expect(entryOf(step("20"), readPlace("loss"))).toEqual([]);
  expect(entryOf(step("20"), readPlace("loss[0]"))).toBeUndefined();
  expect(entryOf(step("3", { shape: [4, 2], turned: true }), readPlace("X[1][3]"))).toEqual([1, 3]); // where columns are vectors
  expect(entryOf(step("3", { shape: [4, 2], turned: true }), readPlace("X[3][1]"))).toBeUndefined();
});

test("the matrix of several is that of the entry, or the chosen one, or the first", () => {
  expect(leadOf(weights, [1, 0, 0], "0")).toEqual([1]);
  expect(leadOf(weights, undefined, "1")).toEqual([1]);
  expect(leadOf(weights, undefined, "7")).toEqual([0]);
  expect(leadOf(step("20"), [], "1")).toEqual([]);
});

test("a step that is drawn leaves the flow as it is, another one opens its module", () => {
  const nodes = [{ step: "20", module: "" }, { step: "14", module: "block1" }] as FlowNode[];
  expect(moduleShowing(steps.byName.get("loss")!, steps, nodes, "")).toBe("");
  expect(moduleShowing(weights, steps, nodes, "")).toBe("block1.attention");
  expect(moduleShowing(gradient, steps, nodes, "")).toBe("block1.attention");
});

test("a gradient is seen at what it is the gradient of, and an inner step at its composite", () => {
  expect(forwardTwin(gradient, steps.byId)).toBe(weights);
  expect(forwardTwin(step("14.2"), steps.byId)).toBe(weights);
});

test("a title begins with as much of the module as tells it from others", () => {
  expect(prefixOf({ title: "head1.weights", module: "block1.attention.head1" })).toBe("head1.");
  expect(prefixOf({ title: "weights", module: "block1.attention" })).toBe("");
  expect(prefixOf({ title: "dX.via_V", module: "embedding" })).toBe("");
  expect(prefixOf({ title: "loss", module: "" })).toBe("");
});

test("settings are put in, replaced, and taken out", () => {
  const here = view("explore", { settings: { run: "twin", open: "block1" } });
  expect(withSettings(here, { open: "", at: "scores" }).settings).toEqual({ run: "twin", at: "scores" });
});

test("a step inside another is known once the other was opened", () => {
  const inner = [{ ...step("14.3"), name: "weights/exp" }];
  expect(resolveStep(steps, [], "weights/exp")).toEqual({ id: "", pageId: "14" });
  expect(resolveStep(steps, inner, "weights/exp")).toEqual({ id: "14.3", pageId: "14.3" });
  expect(resolveStep(steps, inner, "weights/exp/more")).toEqual({ id: "", pageId: "14.3" });
  expect(resolveStep(steps, inner, "nothing/exp")).toEqual({ id: "", pageId: "" });
  expect(resolveStep(steps, [], "14.3")).toEqual({ id: "14.3", pageId: "14.3" });
});

test("an entry is carried to a step of as many axes", () => {
  expect(carried([1, 1], [2, 2])).toEqual([1, 1]);
  expect(carried([1, 1], [2, 1])).toEqual([1, 0]);
  expect(carried([1, 1], [2])).toBeUndefined();
  expect(carried(undefined, [2, 2])).toBeUndefined();
});
