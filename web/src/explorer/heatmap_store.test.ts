import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tile, Window } from "../answers";
import { HeatStore, type Matrix } from "./heatmap_store";

const matrix: Matrix = { key: "k", step: "14", lead: [], size: { rows: 600, columns: 600 } };
const part = (row: number, column: number) => ({ row, column, rows: 10, columns: 10 });
const tile = { levels: "", rows: 1, columns: 1 } as Tile;
const numbers = { numbers: [[{ text: "0.5" }]], levels: [[1]], before: [[""]], row_labels: ["a"], column_labels: ["b"] } as unknown as Window;

/** Requests that are answered when a test says so. */
let requests: { path: string; answer: (body: unknown, status?: number) => Promise<unknown>; signal: AbortSignal }[];
const paths = () => requests.map(({ path }) => path.split("/").at(-1));
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  requests = [];
  vi.useFakeTimers();
  vi.stubGlobal("window", {});
  vi.stubGlobal("localStorage", { getItem: () => "a-code" });
  vi.stubGlobal("fetch", (path: string, { signal }: { signal: AbortSignal }) =>
    new Promise<Response>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
      const answer = (body: unknown, status = 200) => (resolve(new Response(JSON.stringify(body), { status })), settled());
      requests.push({ path, signal, answer });
    }),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is wanted is asked for once", async () => {
  const changed = vi.fn();
  const store = new HeatStore(matrix, changed);
  store.want(part(0, 0), 1, [part(40, 40)]);
  store.want(part(5, 0), 1, [part(40, 40)]);
  await settled();
  expect(paths()).toEqual([
    "tile?row=0&column=0&rows=256&columns=256&stride=1",
    "window?row=32&column=32&rows=32&columns=32",
  ]);
  await requests[1]!.answer(numbers);
  expect(store.cell(32, 32)?.number.text).toBe("0.5");
  expect([store.rowLabel(32, 32), store.columnLabel(32, 32)]).toEqual(["a", "b"]);
  expect(changed).toHaveBeenCalledOnce();
  store.want(part(0, 0), 1, [part(40, 40)]);
  await settled();
  expect(requests).toHaveLength(2);
});

test("what was panned past is given up, and asked for when somebody comes back", async () => {
  const changed = vi.fn();
  const store = new HeatStore(matrix, changed);
  store.want(part(0, 0), 1, [part(0, 0)]);
  await settled();
  store.want(part(300, 300), 1, []);
  await settled();
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  expect([store.problem, changed.mock.calls]).toEqual([undefined, []]);
  store.want(part(0, 0), 1, []);
  await settled();
  expect(paths().at(-1)).toBe("tile?row=0&column=0&rows=256&columns=256&stride=1");
  store.stop();
  expect(requests.at(-1)!.signal.aborted).toBe(true);
});

test("what failed is asked for again, and its problem goes when it is there", async () => {
  const store = new HeatStore(matrix, vi.fn());
  store.want(part(0, 0), 1, [part(0, 0)]);
  await settled();
  await requests[0]!.answer({ key: "server.fault", what: "What.", where: "", given: "", try_this: "" }, 500);
  await requests[1]!.answer(numbers);
  expect(store.problem?.what).toBe("What."); // other parts do not hide it
  store.want(part(1, 1), 1, [part(0, 0)]);
  await settled();
  expect(requests).toHaveLength(2); // not at every move
  await vi.advanceTimersByTimeAsync(3000);
  expect(requests).toHaveLength(3);
  await requests[2]!.answer(tile);
  expect(store.problem).toBeUndefined();
});

test("who pans away from what failed sees no problem, and nobody asks for ever", async () => {
  const store = new HeatStore(matrix, vi.fn());
  store.want(part(0, 0), 1, []);
  for (let round = 0; round < 9; round++) {
    await settled();
    await requests.at(-1)!.answer({ key: "x", what: "What.", try_this: "" }, 400);
    await vi.advanceTimersByTimeAsync(3000);
  }
  expect(requests).toHaveLength(6);
  expect(store.problem).toBeDefined();
  store.want(part(300, 300), 1, []);
  expect(store.problem).toBeUndefined();
});
