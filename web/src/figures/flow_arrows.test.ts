import { expect, test } from "vitest";
import { curveBetween } from "./flow_arrows";

const frame = { left: 100, top: 50 };
const box = (left: number, top: number) => ({ left, top, right: left + 40, bottom: top + 20 });

test("an arrow goes down from a box to one below it", () => {
  expect(curveBetween(box(100, 50), box(180, 150), frame)).toBe("M20,22C20,60,100,60,100,98");
});

test("beside each other it goes from side to side, in both directions", () => {
  expect(curveBetween(box(100, 50), box(200, 55), frame)).toBe("M42,10C70,10,70,15,98,15");
  expect(curveBetween(box(200, 55), box(100, 50), frame)).toBe("M98,15C70,15,70,10,42,10");
});
