import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { addressOf, viewAt } from "../address/view";
import { ask } from "../api/ask";
import { contents, isInside, isList, isWhole, pageOf } from "./inside";

const runs = ["default", "masked", "twin", "after"];
const steps = [{ id: "1", told: true }, { id: "2", told: false }];
const ANSWERS = {
  "/api/start": 1,
  "/api/lessons": { parts: [] },
  "/api/lessons/a%20b?digits=5": { document: { title: "Lesson" } },
  '/api/traces {"digits":5,"run":"twin","source":"a b"}': { title: "Trace", run: "twin", runs, key: "t", steps },
  "/api/traces/t/steps/1": {},
  '/api/traces {"digits":5,"run":"after","source":"a b"}': { title: "Trace", run: "after", runs, key: "a", steps },
  '/api/traces {"digits":5,"run":"nudge1.up","source":"a b"}': { title: "Trace", run: "nudge1.up", runs: ["nudge1.up"], key: "n", steps: [] },
  '/api/traces {"digits":5,"source":"a b"}': { title: "Trace", run: "default", runs, key: "d", steps: [] },
  '/api/sheets {"blanks":"few","seed":1,"source":"a b"}': { title: "Sheet" },
  '/api/sheets {"blanks":"few","seed":2,"source":"a b"}': { title: "Sheet" },
  '/api/sheets/rulings {"blanks":"few","seed":1,"source":"a b"}': {},
};

beforeAll(async () => {
  vi.stubGlobal("window", { workings: { answers: Promise.resolve(ANSWERS) } });
  await ask("/api/start");
});
afterAll(() => vi.unstubAllGlobals());

it("knows from its answers what a file holds", () => {
  const found = contents();
  const addresses = [found.lesson, found.explore, found.practice].map((held) => held.map(({ view }) => addressOf(view)));
  expect(addresses).toEqual([
    ["#/lesson/a+b?digits=5"],
    ["#/explore/a+b?digits=5", "#/explore/a+b?run=twin&digits=5"],
    ["#/practice/a+b?seed=1&blanks=few", "#/practice/a+b?seed=2&blanks=few"],
  ]);
  for (const address of addresses.flat()) expect(isInside(viewAt(address))).toBe(true);
  expect(found.lesson[0]!.title).toBe("Lesson");
});

it.each([
  ["#/lesson/a+b/goal?digits=5", "lesson"], ["#/explore/a+b/W[0]?digits=5&panel=what-if", "explore"], ["#/practice/a+b", "practice"],
  ["#/explore/a+b?digits=5&run=nudge1.up", "explore"], ["#/explore/a+b?digits=5&run=masked", "inside"],
  ["#/lesson/a+b", "inside"], ["#/lesson/other?digits=5", "inside"], ["#/explore/a+b?digits=5&W[0]=1", "inside"],
  ["#/practice/a+b?seed=3", "inside"], ["#/", "inside"], ["#/explore", "inside"], ["#/check", "inside"], ["#/elsewhere", "nowhere"],
])("shows %s with the page %s", (address, page) => expect(pageOf(viewAt(address))).toBe(page));

it("offers a run only if all of it is there", () => {
  const names = ["", "twin", "after", "masked"];
  expect(names.map((run) => isWhole(viewAt(`#/explore/a+b?digits=5&run=${run}`)))).toEqual([true, true, false, false]);
});

it("tells a list from something that is not there", () => {
  expect(["#/", "#/explore", "#/practice", "#/lesson/x", "#/check", "#/explore/own?scenario=x"].map((address) => isList(viewAt(address)))).toEqual(
    [true, true, true, false, false, false],
  );
});
