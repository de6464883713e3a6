import { expect, it } from "vitest";
import { type View, view } from "../address/view";
import { carriedOn, changesOf, isUnchanged, newStory, type Story, storyAfter, withChanges, withoutChanges } from "./whatif_story";

const at = (edits: string[], precision = ""): View =>
  view("explore", { name: "example-3", place: "Q[0][0]", settings: { run: "twin", ...(precision && { precision }) }, edits });
const [none, one, two] = [at([]), at(["a=1"]), at(["a=1", "b=2"])];
const after = (...views: View[]): Story => views.reduce(storyAfter, newStory(none));
const lengths = ({ past, future }: Story): [number, number] => [past.length, future.length];

it("grows by every change, and by nothing else", () => {
  expect(lengths(after(one, two))).toEqual([2, 0]);
  expect(lengths(after(one, { ...one, place: "K[1][1]" }))).toEqual([1, 0]);
});

it("takes the way back for an undo, and the way forth for a redo", () => {
  expect(lengths(after(one, two, one))).toEqual([1, 1]);
  expect(lengths(after(one, two, one, none))).toEqual([0, 2]);
  expect(lengths(after(one, two, one, two))).toEqual([2, 0]);
});

it("forgets the future when something else is done", () => {
  expect(lengths(after(one, two, one, at(["a=1", "c=3"])))).toEqual([2, 0]);
});

it("carries a change on without another step", () => {
  const story = carriedOn(after(one), at(["a=12"]));
  expect(lengths(storyAfter(story, at(["a=12"])))).toEqual([1, 0]);
  expect(lengths(storyAfter(story, none))).toEqual([0, 1]);
});

it("begins anew for another trace", () => {
  expect(lengths(after(one, two, { ...two, name: "example-1" }))).toEqual([0, 0]);
});

it("puts changes into a view, and takes them out", () => {
  const changed = at(["a=1"], "float32");
  expect(withChanges(none, changesOf(changed))).toEqual(changed);
  expect(withoutChanges(changed)).toEqual(none);
  expect([isUnchanged(none), isUnchanged(changed), isUnchanged(at([], "float32"))]).toEqual([true, false, false]);
});
