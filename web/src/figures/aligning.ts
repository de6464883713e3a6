// Numbers of a column under each other: how far each must move so that the points stand in one line.

/** How many signs each text lacks behind its point (or decimal comma), compared with the longest. */
export function lackingBehind(texts: readonly string[]): number[] {
  const behind = texts.map((text) => text.length - text.split(/[.,]/)[0]!.length);
  const most = Math.max(0, ...behind);
  return behind.map((length) => most - length);
}

/** How wide a column is, in digits: what stands before the points and behind them. */
export function widthOf(texts: readonly string[]): number {
  const before = texts.map((text) => text.split(/[.,]/)[0]!.length);
  const behind = texts.map((text, n) => text.length - before[n]!);
  return Math.max(0, ...before) + Math.max(0, ...behind);
}

const LETTER = 0.7; // about how wide a letter above a column is, if a digit in it is 1

/** For each entry of a column, by how many digits it stands left of the edge: below a wider word, in its middle. */
export function shifts(texts: readonly string[], above: string): number[] {
  const wider = Math.max([...above].length * LETTER - widthOf(texts), 0);
  return lackingBehind(texts).map((lacking) => lacking + wider / 2);
}
