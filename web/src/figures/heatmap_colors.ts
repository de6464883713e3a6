// The colors of levels: how strong an entry is, from -100 to 100, of the largest in its step. Two hues that people who
// see few colors tell apart, and where there is room a sign.

export type Color = readonly [number, number, number];

interface Palette {
  readonly zero: Color;
  readonly above: Color;
  readonly below: Color;
  readonly unknown: Color;
}

const LIGHT: Palette = { zero: [253, 253, 252], above: [11, 76, 160], below: [196, 86, 10], unknown: [150, 150, 150] };
const DARK: Palette = { zero: [26, 29, 34], above: [104, 172, 250], below: [246, 160, 82], unknown: [110, 110, 110] };
const MIDDLE = 128; // the byte of level 0; the byte 0 is a number that is not finite

export const paletteFor = (dark: boolean): Palette => (dark ? DARK : LIGHT);

export function colorOf(level: number, dark: boolean): Color {
  const { zero, above, below } = paletteFor(dark);
  const end = level < 0 ? below : above;
  const share = Math.min(Math.abs(level), 100) / 100;
  return mixed(zero, end, share);
}

/** Behind a number in a table, paler: the number is what is read. */
export const groundOf = (level: number, dark: boolean): string => css(colorOf(level * 0.5, dark));

/** Black or white, whichever can be read on a color. */
export const inkOn = (ground: Color): string =>
  ground[0] * 0.299 + ground[1] * 0.587 + ground[2] * 0.114 > 140 ? "#101214" : "#f8f8f8";

export const css = ([red, green, blue]: Color): string => `rgb(${red} ${green} ${blue})`;

/** The pixels of a tile, four bytes each, from its levels. */
export function pixelsOf(levels: Uint8Array, dark: boolean): Uint8ClampedArray<ArrayBuffer> {
  const table = pixelTable(dark);
  const pixels = new Uint32Array(levels.length);
  levels.forEach((level, place) => (pixels[place] = table[level]!));
  return new Uint8ClampedArray(pixels.buffer);
}

function pixelTable(dark: boolean): Uint32Array {
  const bytes = new Uint8Array(256 * 4);
  for (let byte = 0; byte < 256; byte++) {
    const color = byte === 0 ? paletteFor(dark).unknown : colorOf(byte - MIDDLE, dark);
    bytes.set([...color, 255], byte * 4);
  }
  return new Uint32Array(bytes.buffer);
}

const mixed = (from: Color, to: Color, share: number): Color => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];
