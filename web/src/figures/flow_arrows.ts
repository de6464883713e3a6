// An arrow between two boxes on the page, for whoever follows a number.

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** From below the first box to above the second; beside each other, from side to side. Measured from `frame`. */
export function curveBetween(from: Rectangle, to: Rectangle, frame: Pick<Rectangle, "left" | "top">): string {
  const [fromX, toX] = [middle(from.left, from.right) - frame.left, middle(to.left, to.right) - frame.left];
  const [fromY, toY] = [middle(from.top, from.bottom) - frame.top, middle(to.top, to.bottom) - frame.top];
  if (from.bottom <= to.top) {
    const [start, end] = [from.bottom - frame.top + 2, to.top - frame.top - 2];
    const half = middle(start, end);
    return curve(fromX, start, fromX, half, toX, half, toX, end);
  }
  const rightwards = fromX < toX;
  const start = (rightwards ? from.right + 2 : from.left - 2) - frame.left;
  const end = (rightwards ? to.left - 2 : to.right + 2) - frame.left;
  const half = middle(start, end);
  return curve(start, fromY, half, fromY, half, toY, end, toY);
}

const middle = (one: number, other: number): number => (one + other) / 2;

const curve = (...points: number[]): string => {
  const [x, y, ...rest] = points.map((point) => Math.round(point * 10) / 10);
  return `M${x},${y}C${rest.join(",")}`;
};
