import { describe, expect, it } from "vitest";
import { addressOf, view, viewAt } from "./view";

const HOSTILE = [
  "a=b&c#d?e/f%g+h i", "%", "%zz", "100 %", "<img src=x onerror=alert(1)>", "ü ñ 猫 🐈", '"quotes" \'and\'', "\\ ` | ^",
  "line one\nline two\r\n\ttab", "  blanks  ", "../../etc/passwd", "javascript:alert(1)", "[0][1]", "\u0000", "__proto__",
];

describe("addresses", () => {
  it("reads as in the guide", () => {
    const shown = view("explore", {
      name: "example-3",
      place: "weights[1][0]",
      settings: { run: "twin", precision: "calculator 4 significant" },
      edits: ["W_Q[0][1]=0.3"],
    });
    const hash = "#/explore/example-3/weights[1][0]?run=twin&precision=calculator+4+significant&W_Q[0][1]=0.3";
    expect(addressOf(shown)).toBe(hash);
    expect(viewAt(hash)).toEqual(shown);
  });

  it("names a step inside another as the engine does", () => {
    const shown = view("explore", { name: "example-3", place: "weights/exp[1][0]" });
    expect(addressOf(shown)).toBe("#/explore/example-3/weights/exp[1][0]");
    expect(viewAt(addressOf(shown))).toEqual(shown);
  });

  it.each(HOSTILE)("comes back the same with %j everywhere", (text) => {
    const shown = view("explore", {
      name: text,
      place: text,
      settings: { scenario: text, run: text },
      edits: [`input=${text}`, `${text.replaceAll("=", "")}x=1`, `W[0]=${text}`],
    });
    expect(viewAt(addressOf(shown))).toEqual(shown);
  });

  it.each(HOSTILE)("comes back the same through a browser's own encoding of %j", (text) => {
    const shown = view("lesson", { name: text, place: text });
    expect(viewAt(new URL(addressOf(shown), "http://127.0.0.1/").hash)).toEqual(shown);
  });

  it("keeps the order of edits, and edits that are alike", () => {
    const edits = ["b=2", "a=1", "b=2", "lonely"];
    expect(viewAt(addressOf(view("explore", { name: "x", edits }))).edits).toEqual(edits);
  });

  it.each(["", "#", "#/", "#?a=1", "#//"])("starts at home from %j", (hash) => {
    expect(viewAt(hash)).toEqual(view("home"));
  });

  it.each(["#/lessons/example-3", "#heading", "#/constructor"])("leads nowhere from %j", (hash) => {
    expect(viewAt(hash)).toEqual(view("nowhere", { name: hash.replace(/^#\/?/, "") }));
  });

  it("leaves out what is empty", () => {
    expect(addressOf(view("practice", { settings: { seed: "" } }))).toBe("#/practice");
    expect(addressOf(view("home"))).toBe("#/");
  });
});
