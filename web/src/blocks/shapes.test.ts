import { expect, it } from "vitest";
import { placeText, shapeText } from "./shapes";

it("writes shapes as the terminal does", () => {
  expect(shapeText(["token", ""], [3, 2])).toBe("token 3 × 2");
  expect(shapeText([], [])).toBe("");
});

it("says which of several matrices", () => {
  expect(placeText(["batch", "head", "query", "key"], [0, 1])).toBe("batch[0] head[1]");
  expect(placeText(["", "", "", ""], [0, 1])).toBe("[0,1,:,:]");
});
