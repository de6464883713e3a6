// Where the boxes and arrows of a flow stand, in pixels. The lab says rows and columns; nothing here knows a number.
import type { Flow, FlowEdge, FlowNode } from "../answers";

export const SIZE = { widest: 138, narrowest: 78, scrolled: 104, high: 64, between: 28, margin: 8 } as const;
const LEAF = 0.7; // width of a leaf beside its reader, in columns
const BOX = 0.98;
const HEAD = 6; // length of an arrow head

export interface Box {
  readonly node: FlowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An arrow, from the node at the place `start` in the list to the one at `end`. */
export interface Way {
  readonly start: number;
  readonly end: number;
  readonly skips: boolean;
  readonly path: string;
  readonly head: string;
}

export interface FlowDrawing {
  readonly boxes: readonly Box[];
  readonly ways: readonly Way[];
  readonly width: number;
  readonly height: number;
}

/** How much smaller than drawn a flow may be shown. */
export const SMALLEST = 0.86;

/** Columns are as wide as fits into `room` pixels, within what can be read; what does not fit is scrolled, and then nothing
 * need be small. */
export function drawnFlow(flow: Flow, room = Infinity): FlowDrawing {
  const columns = Math.max(1, ...flow.nodes.map((node) => node.column + widthOf(node) / 2));
  const fitting = (room - 2 * SIZE.margin) / columns;
  const unit = fitting < SIZE.narrowest * SMALLEST ? SIZE.scrolled : Math.max(SIZE.narrowest, Math.min(SIZE.widest, fitting));
  const boxes = flow.nodes.map((node) => boxOf(node, unit));
  const passed = flow.edges.flatMap(({ through }) => through.map((column) => column * unit));
  return {
    boxes,
    ways: flow.edges.map((edge) => wayOf(edge, boxes, unit)),
    width: Math.max(0, ...boxes.map((box) => box.x + box.width), ...passed) + SIZE.margin,
    height: Math.max(0, ...boxes.map((box) => box.y + box.height)) + SIZE.margin,
  };
}

/** What each node is called by, also in another flow. Where a step is drawn more than once, its places are counted. */
export function keysOf(nodes: readonly FlowNode[]): readonly string[] {
  const seen = new Map<string, number>();
  return nodes.map(({ module, step }) => {
    const name = module || step;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${name} ${seen.get(name)}`;
  });
}

const widthOf = (node: FlowNode): number => (node.beside ? LEAF : BOX); // in columns
const top = (row: number): number => SIZE.margin + row * (SIZE.high + SIZE.between);

function boxOf(node: FlowNode, unit: number): Box {
  const width = widthOf(node) * unit;
  return { node, x: placed(node.column, unit) - width / 2, y: top(node.row), width, height: SIZE.high };
}

const placed = (column: number, unit: number): number => column * unit + SIZE.margin;

function wayOf(edge: FlowEdge, boxes: readonly Box[], unit: number): Way {
  const [from, to] = [boxes[edge.start]!, boxes[edge.end]!];
  const drawn = from.node.row === to.node.row ? across(from, to) : downwards(edge, from, to, unit);
  return { start: edge.start, end: edge.end, skips: edge.skips, ...drawn };
}

/** From the side of a box to the side of another in the same row; past a third one it goes above. */
function across(from: Box, to: Box): { path: string; head: string } {
  const side = to.x > from.x ? 1 : -1;
  const x = from.x + (side > 0 ? from.width : 0);
  const end = to.x + (side > 0 ? 0 : to.width);
  if (Math.abs(end - x) > from.width / 2 + 12) return arch(from, to);
  const y = from.y + from.height / 2;
  return { path: `M${x},${y}H${end - side * HEAD}`, head: `M${end},${y}l${-side * HEAD},-4v8z` };
}

function arch(from: Box, to: Box): { path: string; head: string } {
  const [x, end, y] = [center(from), center(to), from.y];
  const high = y - SIZE.between * 0.6;
  return { path: `M${x},${y}C${x},${high} ${end},${high} ${end},${y - HEAD}`, head: pointed(end, y) };
}

/** From below one box to above another, beside the rows that it passes. */
function downwards(edge: FlowEdge, from: Box, to: Box, unit: number): { path: string; head: string } {
  let [x, y] = [center(from), from.y + from.height];
  let path = `M${x},${y}`;
  edge.through.forEach((column, passed) => {
    const row = from.node.row + 1 + passed;
    const next = placed(column, unit);
    path += curve(x, y, next, top(row)) + `V${top(row) + SIZE.high}`;
    [x, y] = [next, top(row) + SIZE.high];
  });
  return { path: path + curve(x, y, center(to), to.y - HEAD), head: pointed(center(to), to.y) };
}

const center = (box: Box): number => box.x + box.width / 2;
const pointed = (x: number, y: number): string => `M${x},${y}l-4,${-HEAD}h8z`;

function curve(x: number, y: number, toX: number, toY: number): string {
  const half = (y + toY) / 2;
  return `C${x},${half} ${toX},${half} ${toX},${toY}`;
}

const LETTER = 0.56; // about how wide one is, in sizes of letters
const BOLD = 0.62;

export interface BoxLine {
  readonly look: "path" | "name" | "op" | "shape";
  readonly text: string;
  readonly size: number;
  /** Of its base, from the top of the box. */
  readonly y: number;
}

/** What stands in a box: its name, below its path where both do not fit into one line, its op, and its shape. */
export function linesOf(node: FlowNode, width: number, shape: string): readonly BoxLine[] {
  const whole = fitted(node.name, width, 14, BOLD);
  const end = node.name.lastIndexOf(".") + 1;
  const isCut = end > 0 && whole.size < 12;
  const isGiven = node.beside && node.leaf && !node.module; // it stands beside its reader: no op needs to be said
  const words = fitted(shape, width, 12).size < 11 ? node.shape.join(" × ") : shape;
  const lines = [
    ...(isCut ? [{ look: "path" as const, ...fitted(node.name.slice(0, end), width, 11) }] : []),
    { look: "name" as const, ...(isCut ? fitted(node.name.slice(end), width, 14, BOLD) : whole) },
    ...(isGiven ? [] : [{ look: "op" as const, ...begun(node.op, width, 12) }]),
    ...(words ? [{ look: "shape" as const, ...fitted(words, width, 12) }] : []),
  ];
  const apart = lines.length > 3 ? 14.5 : 16;
  return lines.map((line, place) => ({ ...line, y: SIZE.high / 2 + 4.5 + apart * (place - (lines.length - 1) / 2) }));
}

/** A text that fits into a box, and the size of its letters: smaller if need be, and cut if that is not enough. The end
 * of a path says more than its beginning. */
export function fitted(text: string, width: number, size: number, letter = LETTER): { text: string; size: number } {
  const room = (width - 8) / letter;
  const smaller = Math.max(size * 0.72, Math.min(size, room / Math.max(1, text.length)));
  const most = Math.floor(room / smaller + 0.01);
  return { text: text.length <= most ? text : `…${text.slice(1 - most)}`, size: smaller };
}

/** The same for a word whose beginning says most. */
function begun(text: string, width: number, size: number): { text: string; size: number } {
  const room = (width - 8) / LETTER;
  const smaller = Math.max(size * 0.84, Math.min(size, room / Math.max(1, text.length)));
  const most = Math.floor(room / smaller + 0.01);
  return { text: text.length <= most ? text : `${text.slice(0, most - 1)}…`, size: smaller };
}

/** Where the key of an arrow leads from a box: the nearest one in that direction. */
export function neighborOf(boxes: readonly Box[], place: number, key: string): number {
  const here = boxes[place]!;
  const direction = DIRECTIONS[key];
  if (!direction) return place;
  let [found, nearest] = [place, Infinity];
  boxes.forEach((box, other) => {
    const [x, y] = [center(box) - center(here), box.y - here.y];
    const ahead = x * direction[0] + y * direction[1];
    const aside = Math.abs(x * direction[1]) + Math.abs(y * direction[0]);
    if (ahead <= 0 || (direction[0] !== 0 && aside > SIZE.high / 2)) return;
    if (ahead + 2 * aside < nearest) [found, nearest] = [other, ahead + 2 * aside];
  });
  return found;
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
