// What an offline file holds: the views whose first request it has an answer to. A lab has every view.
import type { Overview, Page, SheetPage } from "../answers";
import { type PageName, SETTINGS, type View, view } from "../address/view";
import { heldAnswers, isOffline, posted } from "../api/ask";
import { stepPath } from "../api/traces";
import { wantedOf } from "../explorer/whatif";
import { pathOf } from "../lesson/ways";
import { wishOf } from "../practice/wish";

type Answers = Readonly<Record<string, unknown>>;

/** A view that a file holds, and what it is about. */
export interface Held {
  readonly title: string;
  readonly view: View;
}
/** By the page that shows them. Those of the explorer begin with the run that a reader means without naming one. */
export interface Contents {
  readonly lesson: readonly Held[];
  readonly explore: readonly Held[];
  readonly practice: readonly Held[];
}
export const KINDS = ["lesson", "explore", "practice"] as const satisfies readonly (keyof Contents & PageName)[];

/** What a view asks for before it can show anything; nothing if it is a list, or needs a lab. */
function requestOf(shown: View): string {
  if (shown.page === "lesson") return pathOf(shown);
  if (shown.page === "explore") return posted("/api/traces", wantedOf(shown));
  return shown.page === "practice" ? posted("/api/sheets", wishOf(shown)) : "";
}

export const isInside = (shown: View): boolean => !isOffline() || Object.hasOwn(heldAnswers(), requestOf(shown));

/** Whether every step of a run can be opened: of some runs a file holds only what its lesson names. */
export const isWhole = (shown: View): boolean =>
  !isOffline() || (isInside(shown) && holdsAll(heldAnswers(), heldAnswers()[requestOf(shown)] as Overview));

const holdsAll = (answers: Answers, { key, steps }: Overview): boolean =>
  steps.every(({ id, told }) => !told || Object.hasOwn(answers, stepPath(key, id)));

/** The page that shows a view: in a file, what it does not hold leads to what it holds, and so does every list. */
export const pageOf = (shown: View): PageName | "inside" =>
  shown.page === "nowhere" || isInside(shown) ? shown.page : "inside";

/** Whether a view only asks what there is. */
export const isList = ({ page, name, settings }: View): boolean =>
  page === "home" || (KINDS.some((kind) => kind === page) && !name && !settings.scenario);

export function contentsOf(answers: Answers): Contents {
  const [lesson, practice]: [Held[], Held[]] = [[], []];
  const traces: { held: Held; overview: Overview }[] = [];
  for (const [request, answer] of Object.entries(answers)) {
    const [, path = "", body = "{}"] = /^(\S+)(?: (.*))?$/s.exec(request) ?? [];
    const [, name, query = ""] = /^\/api\/lessons\/([^?]+)\??(.*)$/.exec(path) ?? [];
    if (name) {
      const sent = { source: decodeURIComponent(name), ...Object.fromEntries(new URLSearchParams(query)) };
      lesson.push({ title: (answer as Page).document.title, view: viewOf("lesson", sent) });
    } else if (path === "/api/traces") {
      const overview = answer as Overview;
      traces.push({ held: { title: overview.title, view: viewOf("explore", JSON.parse(body)) }, overview });
    } else if (path === "/api/sheets") {
      practice.push({ title: (answer as SheetPage).title, view: viewOf("practice", JSON.parse(body)) });
    }
  }
  const own = traces.find(({ held }) => !held.view.settings.run) ?? traces[0]; // a lesson has runs of its text besides
  const isOffered = ({ overview }: (typeof traces)[number]) =>
    own?.overview.runs.includes(overview.run) && holdsAll(answers, overview);
  const others = traces.filter((one) => one !== own && isOffered(one));
  return { lesson, explore: own ? [own, ...others].map(({ held }) => held) : [], practice };
}

/** The view whose request sends this. */
function viewOf(page: PageName, { source = "", ...sent }: Record<string, string | number>): View {
  const known = SETTINGS.filter((key) => sent[key] !== undefined).map((key) => [key, String(sent[key])]);
  return view(page, { name: String(source), settings: Object.fromEntries(known) });
}

export const contents = (): Contents => contentsOf(heldAnswers());
