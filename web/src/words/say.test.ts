import { expect, it } from "vitest";
import { filled } from "./say";

it("fills in values by their names", () => {
  expect(filled("{count} of {all}", { count: 2, all: 3 })).toBe("2 of 3");
});

it("leaves a name without a value, and shows doubled braces as one", () => {
  expect(filled("{{x}} {missing} {count}", { count: "{all}" })).toBe("{x} {missing} {all}");
});
