import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ask, canonical, tell } from "./ask";
import { Latest } from "./latest";
import { ProblemError } from "./problem";
import { askTrace, cellPath, openTrace } from "./traces";

const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const problem = (key: string) => ({ key, what: "What.", where: "", given: "", try_this: "Try." });
const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("localStorage", { getItem: () => "a-code" });
  vi.stubGlobal("fetch", fetched.mockReset());
});
afterEach(() => vi.unstubAllGlobals());

it("asks with the code of the learner", async () => {
  fetched.mockResolvedValueOnce(answer({ parts: [] }));
  expect(await ask("/api/lessons")).toEqual({ parts: [] });
  const [path, request] = fetched.mock.calls[0]!;
  expect([path, new Headers(request!.headers).get("Workings-Learner")]).toEqual(["/api/lessons", "a-code"]);
});

it("throws the problem that the lab names", async () => {
  fetched.mockResolvedValueOnce(answer(problem("lab.step"), 404));
  const error = await ask("/api/traces/x").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).problem.try_this).toBe("Try.");
});

const later = (key: string, status: number) => (seconds: string) =>
  new Response(JSON.stringify(problem(key)), { status, headers: { "Retry-After": seconds } });

it.each([["server.time", 503], ["server.rate", 429]])("comes back when the lab says %s, as long as somebody waits", async (key, status) => {
  const soon = later(key, status);
  fetched.mockResolvedValueOnce(soon("0")).mockResolvedValueOnce(soon("0")).mockResolvedValueOnce(answer(1));
  expect(await ask("/api/lessons/example-6")).toBe(1);
  const waiting = new AbortController();
  fetched.mockResolvedValueOnce(soon("60"));
  const given = ask("/api/lessons/example-6", waiting.signal);
  setTimeout(() => waiting.abort(), 5);
  await expect(given).rejects.toMatchObject({ name: "AbortError" });
  fetched.mockImplementation(() => Promise.resolve(soon("0")));
  await expect(ask("/api/lessons/example-6")).rejects.toMatchObject({ problem: { key } });
});

it("says that a lab which is not there does not answer", async () => {
  fetched.mockRejectedValueOnce(new TypeError("failed"));
  await expect(ask("/api/lessons")).rejects.toMatchObject({ problem: { key: "lab.unreachable" } });
});

it("makes a problem of an answer that is none", async () => {
  fetched.mockResolvedValueOnce(new Response("<html>", { status: 502 }));
  await expect(ask("/api/lessons")).rejects.toMatchObject({ problem: { key: "lab.unexpected" } });
});

it("reads an offline file, and asks nobody there", async () => {
  vi.stubGlobal("window", { workings: { answers: Promise.resolve({ "/api/start": 1, '/api/traces {"source":"x"}': 2 }) } });
  expect(await ask("/api/start")).toBe(1);
  expect(await tell("/api/traces", { source: "x", run: "default", edits: [] })).toBe(2);
  await expect(ask("/api/me")).rejects.toMatchObject({ problem: { key: "lab.offline", where: "" } });
  await expect(ask("toString")).rejects.toBeInstanceOf(ProblemError);
  expect(fetched).not.toHaveBeenCalled();
});

it("writes the same wish as the same text", () => {
  expect(canonical({ b: 1, a: "x", run: "default", numbers: "document", c: "", d: [], e: undefined })).toBe('{"a":"x","b":1}');
  expect(canonical({ numbers: "distinguishing" })).toBe('{"numbers":"distinguishing"}');
});

it("asks again for a trace that the lab has let go", async () => {
  fetched.mockResolvedValueOnce(answer({ key: "k" }));
  await openTrace({ source: "example-1" });
  fetched
    .mockResolvedValueOnce(answer(problem("lab.gone"), 404))
    .mockResolvedValueOnce(answer({ key: "k" }))
    .mockResolvedValueOnce(answer({ label: "weights[1][0]" }));
  expect(await askTrace(cellPath("k", "17", [1, 0]))).toEqual({ label: "weights[1][0]" });
  expect(fetched.mock.calls.at(-1)![0]).toBe("/api/traces/k/steps/17/cells/1,0");
  expect(cellPath("k", "17.3", [])).toBe("/api/traces/k/steps/17.3/cells/-");
});

it("gives up what is outdated", async () => {
  const latest = new Latest();
  const slow = latest.run((signal) => new Promise((resolve) => setTimeout(() => resolve(signal.aborted), 5)));
  const quick = latest.run(() => Promise.resolve("new"));
  await expect(slow).rejects.toThrow();
  expect(await quick).toBe("new");
});
