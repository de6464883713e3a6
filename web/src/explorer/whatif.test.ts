import { describe, expect, it } from "vitest";
import type { StepRow } from "../answers";
import { view } from "../address/view";
import {
  calculatorOf,
  changedSteps,
  precisionOf,
  readNotation,
  sourcesOf,
  stepped,
  typed,
  wantedOf,
  withEdit,
  withoutEdit,
  writeNotation,
} from "./whatif";

const start = view("explore", { name: "example-3", place: "weights[1][0]" });

describe("the trace that a view wants", () => {
  it("is named by its source, and nothing that is as the source says", () => {
    expect(wantedOf(start)).toEqual({ source: "example-3" });
  });

  it("holds everything that changes a number or how it is written", () => {
    const settings = { run: "twin", precision: "float32", convention: "gpt2", digits: "6", notation: "from 1,α,weights=α" };
    expect(wantedOf({ ...start, settings, edits: ["W_Q[0][1]=0.3"] })).toEqual({
      source: "example-3",
      run: "twin",
      precision: "float32",
      convention: "gpt2",
      digits: 6,
      count_from: 1,
      symbols: ["weights=α"],
      edits: ["W_Q[0][1]=0.3"],
    });
  });

  it("is the scenario itself where there is one", () => {
    expect(wantedOf({ ...start, settings: { scenario: "scenario: 1", digits: "many" } })).toEqual({ scenario: "scenario: 1" });
  });
});

describe("edits", () => {
  it("replace those of the same place and of places inside it", () => {
    const edits = ["W_Q[0][1]=0.3", "W_K[0]=1 2", "W_Q2=5", "W_Q[0]=1 1"];
    expect(withEdit({ ...start, edits }, "W_Q[0]", "2 2").edits).toEqual(["W_K[0]=1 2", "W_Q2=5", "W_Q[0]=2 2"]);
    expect(withEdit({ ...start, edits }, "W_Q", "1 0; 0 1").edits).toEqual(["W_K[0]=1 2", "W_Q2=5", "W_Q=1 0; 0 1"]);
  });

  it("stand on a whole that was edited before", () => {
    const edited = withEdit(withEdit(start, "W_Q", "1 0; 0 1"), "W_Q[0][1]", "0.5");
    expect(edited.edits).toEqual(["W_Q=1 0; 0 1", "W_Q[0][1]=0.5"]);
    expect(withoutEdit(edited, "W_Q[0][1]").edits).toEqual(["W_Q=1 0; 0 1"]);
  });
});

describe("typing", () => {
  it.each([
    ["0.2", 0.1, "0.3"],
    ["0,7", -0.1, "0.6"],
    [" -0.1", 0.1, "0"],
    ["1e-3", 0.1, "0.101"],
    ["12.345678", -0.1, "12.245678"],
  ])("steps from %s by %d to %s, without noise", (text, by, expected) => {
    expect(stepped(text, by)).toBe(expected);
  });

  it.each(["", " ", "1/4", "one", "1 2", "inf"])("does not step %j", (text) => {
    expect(stepped(text, 0.1)).toBeUndefined();
  });

  it("shows all digits of a number that can be typed", () => {
    expect([typed(0.1 + 0.2), typed(1 / 3), typed("inf")]).toEqual(["0.3", "0.333333333333", "inf"]);
  });
});

describe("precision and notation", () => {
  it.each(["calculator 4 significant", "calculator 2 decimals"])("reads and writes %s", (precision) => {
    expect(precisionOf(calculatorOf(precision)!)).toBe(precision);
  });

  it("knows what is no calculator", () => {
    expect([calculatorOf("float64"), calculatorOf(""), calculatorOf("calculator many significant")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each(["", "from 1", "column", "from 0,row,weights=α,scores=S"])("reads and writes the notation %j", (text) => {
    expect(writeNotation(readNotation(text))).toBe(text);
  });

  it("passes over what it does not know", () => {
    expect(readNotation("sideways, from 7")).toEqual({ countFrom: undefined, vectors: undefined, symbols: [] });
  });
});

describe("what changed", () => {
  const row = (id: string, stage: StepRow["stage"], is_told = true) => ({ id, stage, told: is_told }) as StepRow;
  const steps = [row("1", "forward"), row("2", "forward"), row("3", "forward", false), row("4", "backward"), row("5", "update")];

  it("is told stage by stage in the order of computing, without what stands in no story", () => {
    const found = changedSteps({ steps, changed: ["5", "3", "2"] });
    expect(found.map(({ stage, rows }) => [stage, rows.map(({ id }) => id)])).toEqual([
      ["forward", ["2"]],
      ["update", ["5"]],
    ]);
  });

  it("is nothing without edits", () => {
    expect(changedSteps({ steps, changed: [] })).toEqual([]);
  });
});

it("finds what a step is computed from, the nearest first", () => {
  const step = (id: string, reads: string[], editable = false) => ({ id, reads, editable }) as StepRow;
  const steps = [step("1", [], true), step("2", [], true), step("3", ["1"]), step("4", ["3", "2"]), step("5", ["4", "4"])];
  expect(sourcesOf({ steps }, steps[4]!).map(({ id }) => id)).toEqual(["2", "1"]);
  expect(sourcesOf({ steps }, steps[2]!).map(({ id }) => id)).toEqual(["1"]);
});
