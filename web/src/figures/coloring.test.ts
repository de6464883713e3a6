import { expect, it } from "vitest";
import { pieces } from "./coloring";

const SOURCE = 'import numpy as np  # "no string"\nx = f("if # is no comment", 1.5e-3)\n"""a\nb""" + \'c\\\'d\'\n';

it("loses nothing", () => {
  for (const language of ["python", "yaml", "unknown"])
    expect(pieces(SOURCE, language).map(({ text }) => text).join("")).toBe(SOURCE);
});

it("knows words, strings, comments and numbers", () => {
  const looks = (look: string) => pieces(SOURCE, "python").filter((piece) => piece.look === look).map(({ text }) => text);
  expect(looks("k")).toEqual(["import", "as"]);
  expect(looks("c")).toEqual(['# "no string"']);
  expect(looks("s")).toEqual(['"if # is no comment"', '"""a\nb"""', "'c\\'d'"]);
  expect(looks("m")).toEqual(["1.5e-3"]);
});

it("marks the keys of YAML", () => {
  expect(pieces("model:\n  width: 4 # small", "yaml").filter(({ look }) => look === "k").map(({ text }) => text)).toEqual([
    "model", "  width",
  ]);
});
