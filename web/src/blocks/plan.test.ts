import { expect, it } from "vitest";
import type * as a from "../answers";
import { allBlocks, type Block, planOf, stepId } from "./plan";

const heading = (level: number, text: string): a.Heading => ({ kind: "heading", level, text, anchor: "" });
const figure = (title: string) => ({ kind: "figure", title }) as a.Figure;
const page = (blocks: Block[], drawings: string[] = []) => ({ document: { blocks }, drawings }) as unknown as a.Page;

it("walks into what opens, in the order in which drawings come", () => {
  const [first, second, third] = [figure("1"), figure("2"), figure("3")];
  const question = { kind: "question", answer: [second], spans: [], title: "", label: "" } as a.Question;
  const fold: a.Fold = { kind: "fold", title: "", is_open: false, summary: "", blocks: [first, question] };
  const blocks: Block[] = [fold, { kind: "items", counted: false, entries: [[third]] }];
  expect([...allBlocks(blocks)].map(({ kind }) => kind)).toEqual(["fold", "figure", "question", "figure", "items", "figure"]);
  const { drawings } = planOf(page(blocks, ["<svg>1", "<svg>2", "<svg>3"]));
  expect([first, second, third].map((one) => drawings.get(one))).toEqual(["<svg>1", "<svg>2", "<svg>3"]);
});

it("gives every heading an id of its own, and puts the highest under the title", () => {
  const headings = [heading(3, "Goal"), heading(4, "More"), heading(3, "Goal"), heading(3, "<img>")];
  const plan = planOf(page(headings));
  expect(plan.contents.map(({ id }) => id)).toEqual(["goal", "goal-2", "img"]);
  expect(headings.map(plan.levelOf)).toEqual([2, 3, 2, 2]);
});

it("finds the first matrix of a step", () => {
  const matrices = ["default:7", "default:7"].map((step) => ({ kind: "matrix", step }) as a.Matrix);
  const { ids } = planOf(page(matrices));
  expect(matrices.map((one) => ids.get(one))).toEqual(["s-default-7", undefined]);
  expect(stepId("twin:17.3")).toBe("s-twin-17.3");
});
