import { expect, it } from "vitest";
import { shelved } from "./shelf";

it("keeps what is filled in, the last sheet last", () => {
  const sheets = shelved(shelved({}, "a", { x: "1", y: " " }), "b", { x: "2" });
  expect(sheets).toEqual({ a: { x: "1" }, b: { x: "2" } });
  expect(Object.keys(shelved(sheets, "a", { x: "3" }))).toEqual(["b", "a"]);
});

it("forgets a sheet that is empty, and the oldest of too many", () => {
  expect(shelved({ a: { x: "1" } }, "a", { x: "" })).toEqual({});
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`sheet-${n}`, { x: "1" }]));
  const now = shelved(many, "new", { x: "1" });
  expect([Object.keys(now).length, "sheet-0" in now, "new" in now]).toEqual([30, false, true]);
});
