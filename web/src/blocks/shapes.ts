// Shapes and places in words.

/** token 3 × 2: an axis without a word is only as long as it is. */
export const shapeText = (axes: readonly string[], shape: readonly number[]): string =>
  shape.map((size, n) => `${axes[n] ?? ""} ${size}`.trim()).join(" × ");

/** Which of several matrices: batch[0] head[1], or [0,1,:,:] where the axes have no words. */
export function placeText(axes: readonly string[], index: readonly number[]): string {
  if (index.every((_, n) => axes[n])) return index.map((place, n) => `${axes[n]}[${place}]`).join(" ");
  return `[${index.join(",")},:,:]`;
}
