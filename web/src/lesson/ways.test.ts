import { expect, it } from "vitest";
import type { LessonPath } from "../answers";
import { view } from "../address/view";
import type { Plan } from "../blocks/plan";
import { exploreAddress, neighbors, pathOf, runAndStep, waysOf } from "./ways";

const CHOSEN = view("lesson", { name: "example-3", settings: { digits: "6", precision: "calculator 4 significant" } });

it("asks for a lesson as it was chosen", () => {
  expect(pathOf(view("lesson", { name: "a/b" }))).toBe("/api/lessons/a%2Fb");
  expect(pathOf(CHOSEN)).toBe("/api/lessons/example-3?digits=6&precision=calculator%204%20significant");
});

it("knows the run of a step", () => {
  expect(runAndStep("twin:17.3")).toEqual({ run: "twin", id: "17.3" });
  expect(runAndStep("17")).toEqual({ run: "", id: "17" });
});

it("leads to the explorer with what was chosen", () => {
  expect(exploreAddress(CHOSEN, "example-3", "twin", "weights[1][0]")).toBe(
    "#/explore/example-3/weights[1][0]?run=twin&precision=calculator+4+significant&digits=6",
  );
});

it("leads to a step on the page where it stands there", () => {
  const plan = { ids: new Map([[{}, "s-default-7"]]) } as unknown as Plan;
  const { stepAddress } = waysOf(() => view("lesson", { name: "x" }), () => plan, () => undefined);
  expect(stepAddress!("default:7")).toBe("#/lesson/x/s-default-7");
  expect(stepAddress!("default:8")).toBe("#/explore/x/8");
});

it("finds the lessons before and after, across parts", () => {
  const part = (...names: string[]) => ({ lessons: names.map((name) => ({ name })) });
  const path = { parts: [part("a", "b"), part("c")] } as unknown as LessonPath;
  const { before, after } = neighbors(path, "b");
  expect([before?.name, after?.name]).toEqual(["a", "c"]);
  expect(neighbors(path, "c").after).toBeUndefined();
  expect(neighbors(undefined, "c").here).toBeUndefined();
});
