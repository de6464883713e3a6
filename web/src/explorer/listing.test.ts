import { expect, test } from "vitest";
import type { LessonEntry, ScenarioEntry, StepRow } from "../answers";
import { groupedSteps, openable } from "./listing";

const step = (id: string, module: string, op: string, changes: Partial<StepRow> = {}): StepRow => ({
  id, path: `${module}.${id}`, name: id, title: id, module, op, kind: "primitive", leaf: "", stage: "forward", axes: [],
  shape: [], turned: false, reads: [], read_by: [], twin: "", gradient: "", told: true, editable: false, ...changes,
});

const trace = {
  steps: [
    step("Q", "attention", "matmul"),
    step("K_T", "attention", "transpose", { told: false }),
    step("weights", "attention", "softmax"),
    step("loss", "", "cross_entropy"),
    step("dQ", "attention", "matmul", { stage: "backward" }),
  ],
  modules: [{ path: "attention", title: "Attention", parent: "", op: "", summary: "" }],
};
const names = (words: string, most?: number) =>
  groupedSteps(trace, words, "loss", most).stages.flatMap(({ modules }) => modules.flatMap(({ rows }) => rows.map(({ id }) => id)));

test("told steps, by stage and module", () => {
  const { stages } = groupedSteps(trace, "", "");
  expect(stages.map(({ stage }) => stage)).toEqual(["forward", "backward"]);
  expect(stages[0]!.modules.map(({ title }) => title)).toEqual(["Attention", ""]);
  expect(names("")).toEqual(["Q", "weights", "loss", "dQ"]);
});

test("all words must be found, wherever they stand", () => {
  expect(names("MATMUL attention")).toEqual(["Q", "dQ"]);
  expect(names("softmax loss")).toEqual([]);
});

test("a long list is cut, but shows where one is", () => {
  expect(names("", 1)).toEqual(["Q", "loss"]);
  expect(groupedSteps(trace, "", "loss", 1).left).toBe(2);
});

test("what lessons are about comes first, each once, then the rest", () => {
  const lesson = (name: string, explored: string) => ({ name, title: name, about: "", explored }) as LessonEntry;
  const part = { name: "a", title: "First", lessons: [lesson("one", "x"), lesson("two", ""), lesson("three", "x")] };
  const scenarios = ["x", "y"].map((name): ScenarioEntry => ({ name, title: name, about: "", runs: [] }));
  const found = openable({ parts: [part] }, scenarios).map(({ title, entries }) => [title, entries.map(({ name }) => name)]);
  expect(found).toEqual([["First", ["x"]], ["", ["y"]]]);
});
