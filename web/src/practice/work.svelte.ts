// Somebody's work on one sheet: what they wrote, what was said about it, and the hints that they took.
import { getContext, setContext } from "svelte";
import type { GradePage, HintPage, Marked, Problem, SheetPage } from "../answers";
import { isOffline, tell } from "../api/ask";
import { loading } from "../api/loading.svelte";
import { TOO_FEW } from "../api/offline_sheets";
import { asProblem } from "../api/problem";
import type { Fields } from "../blocks/contexts";
import { answersTo, keepAnswers } from "./shelf";
import type { SheetWish } from "./wish";

const WORK = Symbol("work");
export const provideWork = (work: Work): Work => setContext(WORK, work);
export const getWork = (): Work => getContext<Work>(WORK);

export class Work implements Fields {
  readonly grade = loading<GradePage>();
  problem = $state.raw<Problem>();
  #answers = $state<Record<string, string>>({});
  #graded = $state.raw<Readonly<Record<string, string>>>({}); // the answers that the grade is about
  #hints = $state.raw<Readonly<Record<string, readonly HintPage[]>>>({});

  constructor(
    readonly wish: SheetWish,
    readonly sheet: SheetPage,
  ) {
    const kept = answersTo(sheet.code);
    this.#answers = Object.fromEntries(sheet.fields.filter((label) => kept[label]).map((label) => [label, kept[label]!]));
    if (Object.keys(this.#answers).length > 0) void this.judge();
  }

  // -- writing -------------------------------------------------------------------------------------

  read = (label: string): string => this.#answers[label] ?? "";

  write = (label: string, text: string): void => {
    this.#answers[label] = text;
    keepAnswers(this.sheet.code, this.#answers);
  };

  /** Somebody goes on from a blank: what is new there is judged. */
  async leave(label: string): Promise<void> {
    if (this.read(label).trim() !== (this.#graded[label] ?? "")) await this.judge();
  }

  clear(): void {
    this.#answers = {};
    this.#graded = {};
    this.#hints = {};
    this.grade.clear();
    keepAnswers(this.sheet.code, {});
  }

  // -- judging -------------------------------------------------------------------------------------

  /** All answers so far are judged together: what follows from one's own earlier numbers is right. */
  async judge(): Promise<void> {
    const answers = this.#written();
    await this.grade.load((signal) => tell("/api/sheets/grade", { ...this.wish, answers }, signal));
    if (this.grade.problem || this.grade.busy) return;
    this.#graded = answers;
    await this.#renewHints();
  }

  #written(): Record<string, string> {
    const written = Object.entries(this.#answers).map(([label, text]) => [label, text.trim()] as const);
    return Object.fromEntries(written.filter(([, text]) => text));
  }

  /** What was said about an answer, as long as it is the same. */
  markOf(label: string): Marked | undefined {
    if (!this.read(label).trim() || this.read(label).trim() !== this.#graded[label]) return undefined;
    return this.grade.answer?.marks.find((mark) => mark.label === label);
  }

  verdict = (label: string): "right" | "wrong" | undefined => {
    const mark = this.markOf(label);
    return mark && mark.verdict !== TOO_FEW ? (mark.right ? "right" : "wrong") : undefined;
  };

  /** The blank to mend first. */
  get firstWrong(): string | undefined {
    const isWrong = (mark: Marked | undefined) => mark && !mark.right && !["unreadable", TOO_FEW].includes(mark.verdict);
    return this.sheet.fields.find((label) => isWrong(this.markOf(label)));
  }

  get right(): number {
    return this.sheet.fields.filter((label) => this.verdict(label) === "right").length;
  }

  // -- hints ---------------------------------------------------------------------------------------

  hintsOf = (label: string): readonly HintPage[] => this.#hints[label] ?? [];

  hint = (label: string): Promise<void> =>
    this.#inTurn(async () => {
      const taken = this.hintsOf(label);
      const last = taken.at(-1);
      if (last && last.rung + 1 >= last.rungs) return;
      const next = await this.#rung(label, taken.length);
      this.#hints = { ...this.#hints, [label]: [...taken, next] };
      this.problem = undefined;
    });

  #waiting: Promise<void> = Promise.resolve();

  /** One after the other: each hint goes on from the one before it, however fast somebody presses. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#waiting = this.#waiting.then(act).catch((error: unknown) => {
      this.problem = asProblem(error);
    });
    return this.#waiting;
  }

  /** A hint goes on with the numbers that were written so far; those in a file know of none. */
  #rung = (label: string, rung: number): Promise<HintPage> =>
    tell("/api/sheets/hint", { ...this.wish, label, rung, ...(!isOffline() && { answers: this.#written() }) });

  /** The hints that were taken hold numbers of the sheet as it was: they are asked for again. */
  #renewHints = (): Promise<void> =>
    this.#inTurn(async () => {
      if (isOffline()) return;
      const renewed = Object.entries(this.#hints).map(async ([label, pages]) => {
        return [label, await Promise.all(pages.map(({ rung }) => this.#rung(label, rung)))] as const;
      });
      const pages = Object.fromEntries(await Promise.all(renewed));
      if (Object.keys(this.#hints).length) this.#hints = pages; // what was cleared meanwhile stays so
    });
}
