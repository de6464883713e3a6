import { expect, test } from "vitest";
import { Latest } from "./latest";
import { problemOf } from "./problem";

test("the answer of a request counts", async () => {
  expect(await new Latest().run(() => Promise.resolve(7))).toBe(7);
});

test("an error of the latest request is passed on", async () => {
  const error = problemOf("unreachable", "");
  await expect(new Latest().run(() => Promise.reject(error))).rejects.toBe(error);
});

test.each([
  ["answer", () => Promise.resolve(1)],
  ["error", () => Promise.reject(problemOf("unexpected", ""))],
])("a late %s of a request that was given up is an abort", async (_, late) => {
  const latest = new Latest();
  const first = latest.run(async () => {
    await Promise.resolve();
    return late();
  });
  const second = latest.run(() => Promise.resolve(2));
  await expect(first).rejects.toMatchObject({ name: "AbortError" });
  expect(await second).toBe(2);
});
