import { expect, it } from "vitest";
import { lackingBehind, shifts, widthOf } from "./aligning";

it("counts what is missing behind the point", () => {
  expect(lackingBehind(["0.5", "-12.25", "3"])).toEqual([1, 0, 3]);
  expect(lackingBehind(["0,5", "1,125"])).toEqual([2, 0]);
});

it("measures a column", () => {
  expect(widthOf(["0.5", "-12.25", "3"])).toBe(6);
  expect(widthOf([])).toBe(0);
});

it("puts numbers in the middle below a wide word", () => {
  expect(shifts(["1", "2"], "")).toEqual([0, 0]);
  expect(shifts(["1", "2"], "ten letter")[0]).toBeCloseTo(3);
});
