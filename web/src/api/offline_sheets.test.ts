import { describe, expect, it } from "vitest";
import type { Expected, Marked, Ruling } from "../answers";
import { isBlank, readNumber } from "./offline_numbers";
import table from "./offline_numbers.json";
import { graded, marked, normal } from "./offline_sheets";

const page = { document: { title: "", blocks: [] }, drawings: [] } as unknown as Marked["page"];
const mark = (verdict: string, right = false): Marked => ({ label: "s", verdict, right, mistake: "", page });
const TRUE: Expected = { value: 0.25344, tolerance: 0.00006, half_unit: 0.00005, mark: mark("right", true), coarser: mark("coarser", true), coarsest: 0.0005, too_few: mark("too few digits") };
const SLIP: Expected = { value: 0.3584, tolerance: 0.00006, half_unit: 0.00005, mark: mark("mistake"), coarser: null, coarsest: 0, too_few: null };
const ruling = (parts: Partial<Ruling> = {}): Ruling => ({
  label: "s", step: "scaled", expected: [TRUE, SLIP], texts: {}, other: mark("unknown"), unreadable: mark("unreadable"), ...parts,
});

describe("judging without a lab", () => {
  it.each([
    ["0.2534", "right"], ["0,2534", "right"], [" .25344 ", "right"], ["2.534e-1", "right"], ["0.253", "coarser"], ["0.25", "too few digits"], ["0.3", "too few digits"], ["0.4", "unknown"],
    ["0.2537", "unknown"], ["0.3584", "mistake"], ["0.36", "unknown"], ["−0.2534", "unknown"], ["a quarter", "unreadable"], ["1/0", "unreadable"],
    ["2534.4/10000", "right"], ["25.34 %", "right"], ["25.344%", "right"], ["0.25344/1", "right"], ["2.534·10⁻¹", "right"], ["0.25 34 x", "unreadable"], ["1e999", "unknown"], ["nan", "unreadable"],
  ])("says of %j that it is %s", (text, verdict) => {
    expect(marked(ruling(), text).verdict).toBe(verdict);
  });

  it("compares what is no number word by word", () => {
    const choice = ruling({ expected: [], texts: { "1 3": mark("right", true) } });
    expect([" 1, 3", "{3, 1}", "1 and 3", "3", "13"].map((text) => marked(choice, text).verdict)).toEqual(["right", "right", "right", "unknown", "unknown"]);
    const words = ruling({ expected: [], texts: { attention: mark("right", true), none: mark("mistake") } });
    expect(["ATTEN", "at", "{}"].map((text) => marked(words, text).verdict)).toEqual(["right", "unknown", "mistake"]);
    expect(normal("Yes — it does!")).toBe("yes it does");
  });

  it("counts what is right, passes over blanks, and knows the first wrong step", () => {
    const rulings = { rulings: [ruling(), ruling({ label: "t", step: "weights" }), ruling({ label: "u" })], page };
    const grade = graded(rulings, { s: "0.2534", t: "0.3584", u: " ____ " });
    expect([grade.right, grade.asked, grade.marks.length, grade.first_wrong]).toEqual([1, 3, 2, "weights"]);
    expect(graded(rulings, {}).first_wrong).toBe("");
    expect(graded(rulings, { s: "0.3", t: "0.2534" }).first_wrong).toBe("");
  });

  it("knows a number without an end, and fewer digits than 0 has", () => {
    const endless = ruling({ expected: [{ ...TRUE, value: "-inf", tolerance: 0, half_unit: 0, coarser: null, too_few: null }] });
    expect(["-inf", "−∞", "inf", "0", "-1e9"].map((text) => marked(endless, text).verdict)).toEqual(["right", "right", "unknown", "unknown", "unknown"]);
    expect(marked(ruling({ expected: [{ ...TRUE, value: 0.004 }] }), "0.00").verdict).toBe("too few digits");
    expect(marked(ruling({ expected: [{ ...TRUE, value: 0.004 }] }), "0").verdict).toBe("unknown");
  });
});

describe("reading numbers", () => {
  it.each(table)("reads $text as the lab does", ({ text, blank, value, unit, digits }) => {
    expect(isBlank(text)).toBe(blank);
    const found = readNumber(text);
    if (value === null) return expect(found).toBeUndefined();
    const wanted = Number(String(value).replace("inf", "Infinity"));
    expect(found!.digits).toBe(digits);
    for (const [one, other] of [[found!.value, wanted], [found!.unit, unit!]] as const)
      expect(one === other || Math.abs(one - other) <= 1e-15 * Math.abs(other)).toBe(true); // of a fraction, the last bit
  });
});
