import { describe, expect, it } from "vitest";
import type { Expected, Marked, Ruling } from "../answers";
import { graded, marked, normal, readNumber } from "./offline_sheets";

const page = { document: { title: "", blocks: [] }, drawings: [] } as unknown as Marked["page"];
const mark = (verdict: string, right = false): Marked => ({ label: "s", verdict, right, mistake: "", page });
const TRUE: Expected = { value: 0.25344, tolerance: 0.00006, half_unit: 0.00005, mark: mark("right", true), coarser: mark("coarser", true) };
const SLIP: Expected = { value: 0.3584, tolerance: 0.00006, half_unit: 0.00005, mark: mark("mistake"), coarser: null };
const ruling = (parts: Partial<Ruling> = {}): Ruling => ({
  label: "s", step: "scaled", expected: [TRUE, SLIP], texts: {}, other: mark("unknown"), unreadable: mark("unreadable"), ...parts,
});

describe("judging without a lab", () => {
  it.each([
    ["0.2534", "right"], ["0,2534", "right"], [" .25344 ", "right"], ["2.534e-1", "right"], ["0.25", "coarser"], ["0.3", "unknown"],
    ["0.2537", "unknown"], ["0.3584", "mistake"], ["0.36", "unknown"], ["−0.2534", "unknown"], ["a quarter", "unreadable"], ["1/0", "unreadable"],
    ["2534.4/10000", "right"], ["0.25 34 x", "unreadable"], ["1e999", "unknown"],
  ])("says of %j that it is %s", (text, verdict) => {
    expect(marked(ruling(), text).verdict).toBe(verdict);
  });

  it("compares what is no number word by word", () => {
    const choice = ruling({ expected: [], texts: { "1 3": mark("right", true) } });
    expect([" 1, 3", "3 1", ""].map((text) => marked(choice, text).verdict)).toEqual(["right", "unknown", "unknown"]);
    expect(normal("Yes — it does!")).toBe("yes it does");
  });

  it("counts what is right, passes over blanks, and knows the first wrong step", () => {
    const rulings = { rulings: [ruling(), ruling({ label: "t", step: "weights" }), ruling({ label: "u" })], page };
    const grade = graded(rulings, { s: "0.2534", t: "0.3584", u: " " });
    expect([grade.right, grade.asked, grade.marks.length, grade.first_wrong]).toEqual([1, 3, 2, "weights"]);
    expect(graded(rulings, {}).first_wrong).toBe("");
  });

  it("knows how many digits were written", () => {
    expect(readNumber("0.0250")).toEqual({ value: 0.025, unit: 0.0001, digits: 3 });
    expect(readNumber("12")).toEqual({ value: 12, unit: 1, digits: 2 });
    expect(readNumber("1/3/2")).toBeUndefined();
  });
});
