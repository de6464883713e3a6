import { expect, test } from "vitest";
import { bounded, covering, entryAt, labelStep, LARGEST, panned, readZoom, revealing, seen, strideFor, whole, writeZoom, zoomed } from "./heatmap";
import { colorOf, groundOf, inkOn, pixelsOf } from "./heatmap_colors";

const size = { rows: 256, columns: 200 };
const pane = { width: 400, height: 512 };

test("the whole matrix fits, and a small one is not blown up", () => {
  expect(whole(size, pane)).toEqual({ row: 0, column: 0, scale: 2 });
  expect(whole({ rows: 2, columns: 2 }, pane).scale).toBe(LARGEST);
});

test("panning stops at the edges", () => {
  const view = { row: 10, column: 10, scale: 20 };
  expect(panned(view, 40, -20, size, pane)).toEqual({ row: 11, column: 8, scale: 20 });
  expect(panned(view, 9999, 9999, size, pane)).toEqual({ row: 0, column: 0, scale: 20 });
  expect(panned(view, -99999, -99999, size, pane)).toEqual({ row: 256 - 25.6, column: 180, scale: 20 });
});

test("zooming keeps what is under the pointer", () => {
  const view = { row: 100, column: 50, scale: 10 };
  const larger = zoomed(view, 2, 105, 205, size, pane);
  expect(larger.scale).toBe(20);
  expect(entryAt(larger, 105, 205, size)).toEqual(entryAt(view, 105, 205, size));
  expect(zoomed(view, 1e-6, 0, 0, size, pane)).toEqual(whole(size, pane));
  expect(zoomed(view, 1e6, 0, 0, size, pane).scale).toBe(LARGEST);
});

test("an entry is brought into sight with the smallest move", () => {
  const view = { row: 0, column: 0, scale: 20 };
  expect(revealing(view, 3, 3, size, pane)).toEqual(view);
  const moved = revealing(view, 100, 199, size, pane);
  expect(moved.row).toBeCloseTo(101 - 25.6);
  expect(moved.column).toBe(180);
});

test("beside the matrix there is no entry", () => {
  const view = { row: 0, column: 0, scale: 10 };
  expect(entryAt(view, 19, 9, size)).toEqual([0, 1]);
  expect(entryAt(view, 19, 9, { rows: 1, columns: 1 })).toBeUndefined();
});

test("what is seen is covered by tiles that end with the matrix", () => {
  const part = seen(bounded({ row: 30.5, column: 0, scale: 20 }, size, pane), size, pane);
  expect(part).toEqual({ row: 30, column: 0, rows: 27, columns: 20 });
  expect(covering(part, 32, size)).toEqual([
    { row: 0, column: 0, rows: 32, columns: 32 },
    { row: 32, column: 0, rows: 32, columns: 32 },
  ]);
  expect(covering({ row: 0, column: 180, rows: 1, columns: 20 }, 128, size)[0]).toEqual({ row: 0, column: 128, rows: 128, columns: 72 });
});

test("far away several entries share a square, and labels stand apart", () => {
  expect([2, 1, 0.5, 0.1].map(strideFor)).toEqual([1, 1, 2, 8]);
  expect([30, 12, 3, 0.1].map((scale) => labelStep(scale, 24))).toEqual([1, 2, 10, 500]);
});

test("colors: none at 0, two hues, stronger with the level, and never a level alone that cannot be read", () => {
  for (const dark of [false, true]) {
    const [zero, above, below] = [0, 100, -100].map((level) => colorOf(level, dark));
    expect(above![2]).toBeGreaterThan(above![0]);
    expect(below![0]).toBeGreaterThan(below![2]);
    expect(inkOn(zero!)).toBe(dark ? "#f8f8f8" : "#101214");
    expect(groundOf(100, dark)).not.toBe(groundOf(0, dark));
  }
});

test("pixels: one for each level, and a color of its own for what is not finite", () => {
  const pixels = pixelsOf(new Uint8Array([128, 228, 0]), false);
  expect([...pixels.slice(0, 4)]).toEqual([...colorOf(0, false), 255]);
  expect([...pixels.slice(4, 8)]).toEqual([...colorOf(100, false), 255]);
  expect([...pixels.slice(8, 12)]).toEqual([150, 150, 150, 255]);
});

test("the part that is seen is written and read; all of it is written as nothing, and nonsense is nothing", () => {
  const view = { row: 10.12345, column: 3, scale: 20 };
  expect(writeZoom(view, size, pane)).toBe("10.123,3,20");
  expect(readZoom("10.123,3,20")).toEqual({ row: 10.123, column: 3, scale: 20 });
  expect(writeZoom(whole(size, pane), size, pane)).toBe("");
  for (const text of [undefined, "", "1,2", "1,2,x", "1,2,", "1,2,0", "1,2,-3", "1,2,Infinity", "1,2,3,4"]) expect(readZoom(text)).toBeUndefined();
});
