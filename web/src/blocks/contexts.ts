// What the blocks of a page know of the page that they stand on.
import { type Component, getContext, setContext } from "svelte";
import type * as a from "../answers";
import type { Plan } from "./plan";

/** Where things lead. A page on which nothing leads anywhere provides none of them. */
export interface Ways {
  /** Shows how an entry comes about. */
  openNumber?: (step: string, index: readonly number[]) => void;
  /** That is shown in a dialog over the page. */
  inDialog?: boolean;
  /** The address where a step is shown. */
  stepAddress?: (step: string) => string | undefined;
  /** The address of a place on the page. */
  placeAddress?: (place: string) => string | undefined;
}

/** Answers that somebody writes into blanks, by their labels, and what was said about them. */
export interface Fields {
  read: (label: string) => string;
  write: (label: string, text: string) => void;
  /** "right" or "wrong" after grading, else nothing. */
  verdict: (label: string) => "right" | "wrong" | undefined;
  /** What is to be said about a blank, below the blanks of its step. */
  about?: Component<{ field: a.AnswerField }>;
}

/** The id of what is said about a blank. */
export const aboutId = (label: string): string => `about-${label}`;

const WAYS = Symbol("ways");
const FIELDS = Symbol("fields");
const PLAN = Symbol("plan");
const EARLIER = Symbol("earlier");

export const provideWays = (ways: Ways): Ways => setContext(WAYS, ways);
export const provideFields = (fields: Fields): Fields => setContext(FIELDS, fields);
export const providePlan = (plan: () => Plan): (() => Plan) => setContext(PLAN, plan);

/** What a number of the page was before somebody changed one. */
export type Earlier = (number: a.Number) => string | undefined;
export const provideEarlier = (earlier: Earlier): Earlier => setContext(EARLIER, earlier);
export const getEarlier = (): Earlier | undefined => getContext<Earlier | undefined>(EARLIER);

export const getWays = (): Ways => getContext<Ways | undefined>(WAYS) ?? {};
export const getFields = (): Fields | undefined => getContext<Fields | undefined>(FIELDS);
export const getPlan = (): (() => Plan) => getContext<() => Plan>(PLAN);

/** Only an entry has a hand calculation; not a line on the way to it, nor what a mistake would give. */
export const opens = (number: a.Number, ways: Ways): boolean =>
  number.role === "entry" && number.step !== "" && ways.openNumber !== undefined;
