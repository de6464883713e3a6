// What must be known of a whole document before its first block is drawn.
import type * as a from "../answers";

export type Block = a.Document["blocks"][number];
export type Spans = a.Text["spans"];
export type Span = Spans[number];

const TOP = 2; // the level of headings that stand in the contents; the title is above them
const DEEPEST = 6;

export interface Plan {
  readonly drawings: ReadonlyMap<a.Figure, string>;
  /** The ids of headings, and of the first matrix of each step. */
  readonly ids: ReadonlyMap<Block, string>;
  readonly contents: readonly { readonly id: string; readonly text: string }[];
  /** The blanks that stand in matrices, by `placeOf`. */
  readonly fields: ReadonlyMap<string, a.AnswerField>;
  /** At which level a heading stands, so that the highest stand right under the title. */
  readonly levelOf: (heading: a.Heading) => number;
}

export function planOf({ document, drawings }: a.Page): Plan {
  const blocks = [...allBlocks(document.blocks)];
  const headings = blocks.filter((block) => block.kind === "heading");
  const figures = blocks.filter((block) => block.kind === "figure");
  const fields = blocks.filter((block) => block.kind === "answers").flatMap((block) => block.fields);
  const highest = Math.min(...headings.map(({ level }) => level), DEEPEST);
  const levelOf = ({ level }: a.Heading) => Math.min(level + TOP - highest, DEEPEST);
  const ids = idsOf(blocks);
  return {
    drawings: new Map(figures.map((figure, n) => [figure, drawings[n] ?? ""])),
    ids,
    contents: headings.filter((one) => levelOf(one) === TOP).map((one) => ({ id: ids.get(one)!, text: one.text })),
    fields: new Map(fields.filter(({ placed }) => placed).map((field) => [placeOf(field), field])),
    levelOf,
  };
}

/** The blocks, and those inside them. */
export function* allBlocks(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    yield block;
    if (block.kind === "question") yield* allBlocks(block.answer);
    else if (block.kind === "fold") yield* allBlocks(block.blocks);
    else if (block.kind === "items") for (const entry of block.entries) yield* allBlocks(entry);
  }
}

/** Under which an entry is found again. */
export const placeOf = ({ step, index }: { step: string; index: readonly number[] }): string => `${step} ${index.join(",")}`;

export const stepId = (step: string): string => `s-${step}`.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");

function idsOf(blocks: readonly Block[]): Map<Block, string> {
  const ids = new Map<Block, string>();
  const taken = new Set<string>();
  for (const block of blocks) {
    if (block.kind === "heading") ids.set(block, free(block.anchor || block.text.toLowerCase(), taken));
    else if (block.kind === "matrix" && !taken.has(stepId(block.step))) {
      taken.add(stepId(block.step));
      ids.set(block, stepId(block.step));
    }
  }
  return ids;
}

function free(wanted: string, taken: Set<string>): string {
  const base = wanted.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-").replaceAll(/^-+|-+$/g, "") || "_";
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}-${n}`;
  taken.add(id);
  return id;
}
