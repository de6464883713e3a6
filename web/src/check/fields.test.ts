import { expect, it } from "vitest";
import { addressOf, viewAt } from "../address/view";
import { filledFields, gotFields, gradientFields, hasGradients, NOTHING, readTexts, type Texts, viewOfTexts } from "./fields";

const texts: Texts = {
  start: "projections",
  given: { X: "1 0\n0 1", W_Q: "[[1,0],[0,1]]", W_K: "1 0; 0 1", W_V: "1/2 0; 0 1" },
  got: { scores: "1 & 0 \\\\ 0 & 1", Q: "a=b" },
  mask: "causal",
  heads: 2,
  convention: "attention_scale=model",
};

it("comes back from its address as it was", () => {
  const back = readTexts(viewAt(addressOf(viewOfTexts(texts))));
  expect(back).toEqual(texts);
  expect(readTexts(viewAt(addressOf(viewOfTexts(NOTHING))))).toEqual(NOTHING);
});

it("keeps with what somebody starts before anything is given", () => {
  const begun: Texts = { ...NOTHING, start: "projections", got: { Q: "1 0" } };
  expect(readTexts(viewAt(addressOf(viewOfTexts(begun))))).toEqual(begun);
  expect(viewOfTexts(texts).settings.start).toBeUndefined(); // the weights say so
});

it("asks for the steps that there are", () => {
  expect(gotFields(NOTHING)).toEqual(["scores", "scaled", "weights", "context"]);
  expect(gotFields({ ...texts, given: { ...texts.given, W_O: "1" } })).toEqual([
    "Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "joined", "attended",
  ]);
});

it("has gradients where one of them is filled in, or what comes in at the end", () => {
  expect(gradientFields(NOTHING)).toEqual(["dweights", "dscaled", "dscores", "dQ", "dK", "dV"]);
  const all = gradientFields({ ...texts, given: { ...texts.given, W_O: "1" } });
  expect(["dW_O", "dW_V", "dX"].every((name) => all.includes(name))).toBe(true);
  expect([NOTHING, { ...NOTHING, given: { cotangent: "1" } }, { ...NOTHING, got: { dQ: "1" } }].map(hasGradients)).toEqual([false, true, true]);
});

it("asks which root only where there are several heads", () => {
  expect([filledFields(texts).convention, filledFields({ ...texts, heads: 1 }).convention]).toEqual(["attention_scale=model", ""]);
});

it("leaves out what is empty, and what belongs to fields that are not shown", () => {
  const { given, got } = filledFields({ ...texts, start: "queries", given: { ...texts.given, Q: "1", K: " " }, got: { Q: "1", scaled: "2" } });
  expect([given, got]).toEqual([{ Q: "1" }, { scaled: "2" }]);
});

it("passes over settings that nobody can mean", () => {
  const { mask, heads, convention } = readTexts(viewAt("#/check?mask=upside&heads=1000&convention=paper"));
  expect([mask, heads, convention]).toEqual(["none", 1, ""]);
});
