// Where somebody stands in the explorer: everything follows from the address, and every move is a new address.
import type { CellPage, Overview, Page, StepPage, StepRow, Window } from "../answers";
import { go } from "../address/address.svelte";
import type { View } from "../address/view";
import { canonical } from "../api/ask";
import { follow, Loading } from "../api/loading.svelte";
import { askTrace, cellPath, flowPath, stepPath } from "../api/traces";
import { laterThan, momentOf, timelineOf } from "../figures/timeline";
import { entryOf, firstShown, forwardTwin, idOf, leadOf, moduleShowing, readPlace, resolveStep, stepsOf, withSettings, writePlace } from "./place";
import { wantedOf } from "./whatif";
import { openView } from "./whatif_opening";

const NOTHING: Overview["steps"] = [];
const WHOLE = "/"; // in the address: no module is open

export class Here {
  readonly trace = new Loading<Overview>();
  readonly flow = new Loading<Page>();
  readonly step = new Loading<StepPage>();
  readonly cell = new Loading<CellPage>();
  /** The numbers of the matrix that is shown, as far as they are all written. */
  readonly window = new Loading<Window>();
  /** An entry that somebody points at: it is marked wherever it is seen. */
  pointed = $state.raw<{ step: string; index: readonly number[] }>();

  readonly #view: () => View;
  view = $derived.by(() => this.#view());
  overview = $derived(this.trace.answer);
  key = $derived(this.overview?.key ?? "");
  steps = $derived(stepsOf({ steps: this.overview?.steps ?? NOTHING }));
  place = $derived(readPlace(this.view.place));
  /** The steps inside composites that the lab has told about: those in the one that is shown, or beside it. */
  inner = $derived([...(this.step.answer?.inside ?? []), ...(this.step.answer?.around ?? [])]);
  #resolved = $derived.by(() => {
    if (this.place.name) return resolveStep(this.steps, this.inner, this.place.name);
    const first = (this.overview && firstShown(this.overview)?.id) || "";
    return { id: first, pageId: first };
  });
  id = $derived(this.#resolved.id);
  /** The address names a step that is not there, nor in what it would lie in. */
  missing = $derived.by(() => {
    const { id, pageId } = this.#resolved;
    return this.overview !== undefined && this.place.name !== "" && !id && (!pageId || this.step.answer?.row.id === pageId);
  });
  row = $derived(this.rowOf(this.id));
  /** The step that stands in the flow for the one that is shown. */
  drawn = $derived(this.row && forwardTwin(this.row, this.steps.byId));
  index = $derived(this.row && entryOf(this.row, this.place));
  /** The address names an entry that the step does not have. */
  strayed = $derived(this.row !== undefined && this.place.index !== undefined && this.index === undefined);
  lead = $derived(this.row ? leadOf(this.row, this.index, this.view.settings.lead) : []);
  /** The module whose flow is drawn: the one in the address, else that of the step. */
  open = $derived.by(() => {
    const { open } = this.view.settings;
    if (open) return open === WHOLE ? "" : open;
    return this.place.name && this.drawn ? this.drawn.module : "";
  });
  nodes = $derived(flowNodes(this.flow.answer));
  changed = $derived(new Set(this.overview?.changed));

  timeline = $derived(timelineOf({ steps: this.overview?.steps ?? NOTHING }));
  /** The chosen moment; without one, everything has been computed. */
  moment = $derived.by(() => {
    const { at } = this.view.settings;
    if (!at || !this.overview) return undefined;
    const found = momentOf(this.overview, idOf(this.steps, at));
    return found < 0 ? undefined : found;
  });
  later = $derived(laterThan({ steps: this.overview?.steps ?? NOTHING }, this.moment));
  isLater = $derived(this.later.has(this.id.split(".")[0]!));

  /** Made while a component is; it asks the lab as long as that one is shown. */
  constructor(view: () => View) {
    this.#view = view;
    // While another run or an edit of it is computed a trace stays; of another scenario nothing stays on the page.
    const about = () => this.view.settings.scenario ?? this.view.name;
    const wish = () => canonical(wantedOf(this.view));
    follow(this.trace, () => (wish() === "{}" ? "" : wish()), (_, signal) => openView(this.view, signal), about);
    const ready = (path: () => string) => () => (this.key && !this.trace.busy ? path() : "");
    follow(this.flow, ready(() => flowPath(this.key, this.open)), askTrace<Page>, about);
    follow(this.step, ready(() => this.#resolved.pageId && stepPath(this.key, this.#resolved.pageId)), askTrace<StepPage>, about);
    const entry = () => (this.index && !this.isLater ? cellPath(this.key, this.id, this.index) : "");
    follow(this.cell, ready(entry), askTrace<CellPage>, about);
  }

  /** A step of the trace, or one inside a composite that was opened. */
  rowOf(id: string): StepRow | undefined {
    const pageRow = this.step.answer?.row;
    return this.steps.byId.get(id) ?? this.inner.find((row) => row.id === id) ?? (pageRow?.id === id ? pageRow : undefined);
  }

  /** Shows a step, or an entry of it. */
  select(id: string, index?: readonly number[]): void {
    go(this.at(id, index));
    if (!index) requestAnimationFrame(() => bringIntoSight("step"));
  }

  /** The view of a step, or of an entry of it. */
  at(id: string, index?: readonly number[]): View {
    const row = this.rowOf(id);
    const outer = this.steps.byId.get(id) ?? this.steps.byId.get(id.split(".")[0]!);
    const shown = outer ? moduleShowing(outer, this.steps, this.nodes, this.open) : this.open;
    const own = outer && forwardTwin(outer, this.steps.byId).module;
    const open = shown === own ? "" : shown || WHOLE;
    const place = writePlace(row?.name ?? id, index);
    const zoom = id === this.id ? (this.view.settings.zoom ?? "") : ""; // of another matrix another part is seen
    return { ...withSettings(this.view, { open, lead: "", zoom }), place };
  }

  openModule(path: string): void {
    go(withSettings(this.view, { open: path || WHOLE }));
  }

  chooseLead(lead: readonly number[]): void {
    const place = this.index ? writePlace(this.place.name, [...lead, ...this.index.slice(lead.length)]) : this.view.place;
    go({ ...withSettings(this.view, { lead: this.index ? "" : lead.join(",") }), place });
  }

  /** Which part of a large matrix is seen: whoever gets the address sees the same. */
  zoomTo(zoom: string): void {
    go(withSettings(this.view, { zoom }), { replace: true });
  }

  /** Shows the trace as far as it is computed at a moment, and the step that was computed last. */
  goTo(moment: number, { replace = false } = {}): void {
    const row = this.timeline.moments[moment];
    if (row) go(withSettings(this.at(row.id), { at: row.name }), { replace });
  }

  /** Everything is computed again. */
  leaveTimeline(): void {
    go(withSettings(this.view, { at: "" }));
  }

  /** The moment at which the timeline stands: the chosen one, else that of the step that is shown. */
  get standing(): number {
    return this.moment ?? (this.overview ? Math.max(0, momentOf(this.overview, this.id)) : 0);
  }

}

/** Narrower than this, the sections stand below each other. */
export const STACKED = "(max-width: 47.99rem)";

/** Where sections stand below each other, the one that is meant comes to the top. */
export function bringIntoSight(section: "step" | "cell"): void {
  if (matchMedia(STACKED).matches) document.getElementById(section)?.scrollIntoView({ block: "start" });
}

function flowNodes(page: Page | undefined) {
  const figure = page?.document.blocks[0];
  return figure?.kind === "figure" && "edges" in figure.data ? figure.data.nodes : [];
}
