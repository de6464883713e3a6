import { expect, test } from "vitest";
import type { StepRow } from "../answers";
import { hasTicks, laterThan, momentAt, momentOf, timelineOf } from "./timeline";

const step = (id: string, stage: StepRow["stage"], told = true): StepRow => ({
  id, path: id, name: id, title: id, module: "", op: "mul", kind: "primitive", leaf: "", stage, axes: [], shape: [], turned: false,
  reads: [], read_by: [], twin: "", gradient: "", told, editable: false,
});

const trace = {
  steps: [
    step("1", "forward"),
    step("2", "forward", false),
    step("3", "forward"),
    step("4", "backward"),
    step("5", "update"),
    step("6", "forward"),
  ],
};

test("stretches follow each other without a gap, and a stage may come again", () => {
  const { moments, stretches } = timelineOf(trace);
  expect(moments.map((moment) => moment.id)).toEqual(["1", "3", "4", "5", "6"]);
  expect(stretches).toEqual([
    { stage: "forward", first: 0, count: 2 },
    { stage: "backward", first: 2, count: 1 },
    { stage: "update", first: 3, count: 1 },
    { stage: "forward", first: 4, count: 1 },
  ]);
});

test("what is computed between backward and update belongs to the update", () => {
  const steps = [step("1", "forward"), step("2", "backward"), step("3", "forward"), step("4", "update"), step("5", "update")];
  expect(timelineOf({ steps }).stretches).toEqual([
    { stage: "forward", first: 0, count: 1 },
    { stage: "backward", first: 1, count: 1 },
    { stage: "update", first: 2, count: 3 },
  ]);
});

test("a step that is not told by itself comes with the next told one, and an inner one with its composite", () => {
  expect(momentOf(trace, "3")).toBe(1);
  expect(momentOf(trace, "2")).toBe(1);
  expect(momentOf(trace, "4.2")).toBe(2);
  expect(momentOf(trace, "99")).toBe(-1);
});

test("what is later is hidden, from the chosen moment on", () => {
  expect([...laterThan(trace, 1)]).toEqual(["4", "5", "6"]);
  expect([...laterThan(trace, 0)]).toEqual(["2", "3", "4", "5", "6"]);
  expect(laterThan(trace, 4).size).toBe(0);
  expect(laterThan(trace, undefined).size).toBe(0);
});

test("a moment is found under the pointer, also beyond the ends", () => {
  expect(momentAt(0.5, 5)).toBe(2);
  expect(momentAt(-0.2, 5)).toBe(0);
  expect(momentAt(1.7, 5)).toBe(4);
});

test("ticks that would touch are left out", () => {
  expect(hasTicks(40, 800)).toBe(true);
  expect(hasTicks(2327, 800)).toBe(false);
  expect(hasTicks(0, 800)).toBe(false);
});
