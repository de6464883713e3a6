// The three ways to talk to the lab. In an offline file the answers are in the page, under the path that asks for them.
import type { GradePage, Problem, Rulings } from "../answers";
import { learnerCode } from "./learner";
import { graded } from "./offline_sheets";
import { ProblemError, problemOf } from "./problem";
import { visitorCode } from "./visitor";

type Kept = Readonly<Record<string, unknown>>;

declare global {
  interface Window {
    /** What an offline file carries: its answers, each under its path. They may still have to be unpacked. */
    workings?: { answers: Kept | Promise<Kept> };
  }
}

export const isOffline = (): boolean => window.workings !== undefined;

let held: Kept = {};
/** What an offline file holds, by request. It is unpacked before anything is shown. */
export const heldAnswers = (): Kept => held;

/** A request that sends something, as one text. */
export const posted = (path: string, body: object): string => `${path} ${canonical(body)}`;

/** An answer that never changes while the page is open. */
export const ask = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  send<Answer>(path, path, { method: "GET" }, signal);

export const tell = <Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer> => {
  if (isOffline() && path === GRADE) return gradeOffline(body as Graded) as Promise<Answer>;
  return send<Answer>(path, posted(path, body), { method: "POST", body: canonical(body) }, signal);
};

const GRADE = "/api/sheets/grade";
type Graded = { readonly answers: Readonly<Record<string, string>> };

/** The answers to a sheet are judged in the page itself, by what the file holds for it. */
async function gradeOffline({ answers, ...sheet }: Graded): Promise<GradePage> {
  return graded(await tell<Rulings>("/api/sheets/rulings", sheet), answers);
}

export const remove = <Answer>(path: string): Promise<Answer> =>
  send<Answer>(path, `DELETE ${path}`, { method: "DELETE" });

/** JSON with its keys in order and without what is empty or usual, so that the same wish is always the same text. */
export function canonical(body: object): string {
  const entries = Object.entries(body).filter(([key, value]) => !isEmpty(value) && value !== USUAL.get(key));
  return JSON.stringify(Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))));
}

const USUAL: ReadonlyMap<string, unknown> = new Map([["run", "default"], ["numbers", "document"]]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

async function send<Answer>(path: string, record: string, request: RequestInit, signal?: AbortSignal): Promise<Answer> {
  const kept = await window.workings?.answers;
  if (kept) {
    held = kept;
    if (Object.hasOwn(kept, record)) return kept[record] as Answer;
    throw problemOf("offline", "");
  }
  const headers = new Headers({ Accept: "application/json" });
  if (request.body) headers.set("Content-Type", "application/json");
  const code = learnerCode();
  if (code) headers.set("Workings-Learner", code);
  else headers.set("Workings-Visitor", visitorCode());
  for (let tries = 1; ; tries++) {
    const response = await reached(path, { ...request, headers, ...(signal && { signal }) });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok && (answer !== undefined || response.status === NOTHING)) return answer as Answer;
    if (!isProblem(answer)) throw problemOf("unexpected", path);
    if (!SOON.includes(answer.key) || tries === MOST_TRIES) throw new ProblemError(answer, response.status);
    await pause(Number(response.headers.get("Retry-After") ?? 1), signal);
  }
}

const NOTHING = 204; // what breaks off is no answer, this is
const SOON = ["server.time", "server.busy", "server.rate"]; // the lab is at it, or was asked too often: it says when to come back
const MOST_TRIES = 8;

const pause = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("", "AbortError"));
    });
  });

async function reached(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw problemOf("unreachable", path);
  }
}

const isProblem = (answer: unknown): answer is Problem =>
  typeof answer === "object" && answer !== null && "what" in answer && "try_this" in answer;
