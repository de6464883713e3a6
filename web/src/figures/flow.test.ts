import { expect, test } from "vitest";
import type { Flow, FlowNode } from "../answers";
import { drawnFlow, fitted, keysOf, linesOf, neighborOf, SIZE } from "./flow";

const node = (name: string, row: number, column: number, beside = false): FlowNode => ({
  step: name, name, op: "matmul", axes: [], shape: [], row, column, leaf: beside, beside,
  gradient: null, value: null, sign: "", module: "",
});

const flow: Flow = {
  nodes: [node("X", 0, 1.5), node("W", 1, 0.5, true), node("Q", 1, 1.5), node("K", 1, 3), node("scores", 2, 1.5)],
  edges: [
    { start: 0, end: 2, skips: false, through: [] },
    { start: 1, end: 2, skips: false, through: [] },
    { start: 0, end: 4, skips: true, through: [2.2] },
  ],
};

test("boxes do not lie on each other, and all lie on the sheet", () => {
  const { boxes, width, height } = drawnFlow(flow);
  for (const [place, one] of boxes.entries()) {
    expect(one.x).toBeGreaterThanOrEqual(0);
    expect(one.x + one.width).toBeLessThanOrEqual(width);
    expect(one.y + one.height).toBeLessThanOrEqual(height);
    for (const other of boxes.slice(place + 1)) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x;
      expect(apart || one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true);
    }
  }
});

test("what does not fit is drawn wide enough to be read, and scrolled", () => {
  const { width, boxes } = drawnFlow(flow, 200);
  expect(width).toBeGreaterThan(200);
  expect(boxes[0]!.width).toBeGreaterThan(drawnFlow(flow, 270).boxes[0]!.width);
});

test("a node is called by its step, also where that is drawn twice", () => {
  expect(keysOf([node("X", 0, 0), { ...node("X", 1, 0), module: "block1" }, node("X", 2, 0)])).toEqual(["X 1", "block1 1", "X 2"]);
});

test("columns are narrower where there is little room, but not too narrow to be read", () => {
  expect(drawnFlow(flow, 400).width).toBeLessThanOrEqual(400);
  expect(drawnFlow(flow, 400).boxes[0]!.width).toBeGreaterThan(drawnFlow(flow, 100).boxes[0]!.width);
  expect(drawnFlow(flow, 100)).toEqual(drawnFlow(flow, 10));
});

test("arrows start and end at the edges of their boxes", () => {
  const { boxes, ways } = drawnFlow(flow);
  const [X, W, Q] = boxes;
  expect(ways[0]!.path).toMatch(`M${X!.x + X!.width / 2},${X!.y + SIZE.high}`);
  expect(ways[0]!.head).toMatch(`M${Q!.x + Q!.width / 2},${Q!.y}`);
  expect(ways[1]!.path).toBe(`M${W!.x + W!.width},${W!.y + SIZE.high / 2}H${Q!.x - 6}`);
});

test("an arrow past a row goes through the column that was kept for it", () => {
  const { boxes, ways } = drawnFlow(flow);
  const V = /V(\d+)/.exec(ways[2]!.path);
  expect(Number(V![1])).toBe(boxes[2]!.y + SIZE.high);
});

test("what is long gets smaller, and what is too long keeps its end", () => {
  expect(fitted("weights", 132, 12)).toEqual({ text: "weights", size: 12 });
  expect(fitted("divide_by_root", 90, 12).text).toBe("divide_by_root");
  expect(fitted("divide_by_root", 90, 12).size).toBeLessThan(12);
  expect(fitted("block1.attention.head2.weights", 132, 12).text).toMatch(/^….*head2\.weights$/);
});

test("a name that does not fit stands below its path, and every line stands in its box", () => {
  const module = { ...node("block1.feed_forward", 0, 1), module: "block1.feed_forward", op: "11 steps", shape: [2, 2] };
  const lines = linesOf(module, 90, "token 2 × model 2");
  expect(lines.map(({ look, text }) => [look, text])).toEqual([
    ["path", "block1."],
    ["name", "feed_forward"],
    ["op", "11 steps"],
    ["shape", "2 × 2"],
  ]);
  for (const { y, size } of lines) expect(y > size && y < SIZE.high).toBe(true);
  expect(linesOf({ ...node("scaled", 0, 1), op: "divide_by_root" }, 76, "")[1]!.text).toMatch(/^divide_by.*…$/);
  expect(linesOf(node("W_Q", 0, 1, true), 90, "2 × 2").map(({ look }) => look)).toEqual(["name", "shape"]);
});

test("arrow keys go to the nearest box in their direction, and stay where there is none", () => {
  const { boxes } = drawnFlow(flow);
  expect(neighborOf(boxes, 0, "ArrowDown")).toBe(2);
  expect(neighborOf(boxes, 2, "ArrowRight")).toBe(3);
  expect(neighborOf(boxes, 2, "ArrowLeft")).toBe(1);
  expect(neighborOf(boxes, 0, "ArrowUp")).toBe(0);
  expect(neighborOf(boxes, 0, "Enter")).toBe(0);
});
