import { expect, it } from "vitest";
import { view } from "../address/view";
import { nextSeed, wishOf } from "./wish";

const wish = (settings = {}) => wishOf(view("practice", { name: "example-1", settings }));

it("is few blanks with the first numbers, unless the address says otherwise", () => {
  expect(wish()).toEqual({ source: "example-1", run: "", seed: 1, blanks: "few" });
  expect(wish({ seed: "7", blanks: "all", run: "twin" })).toEqual({ source: "example-1", run: "twin", seed: 7, blanks: "all" });
});

it("passes over what nobody can mean", () => {
  expect(wish({ seed: "-1", blanks: "most" })).toEqual(wish());
  expect(wish({ seed: "1e9" })).toEqual(wish());
});

it("has other numbers next, and begins again after the last", () => {
  expect([nextSeed(wish({ seed: "0" })), nextSeed(wish({ seed: "999999" }))]).toEqual(["1", "1"]);
  expect([1, 3, 9].map((seed) => nextSeed({ ...wish(), seed }, [1, 2, 3]))).toEqual(["2", "1", "1"]);
});
