// The numbers of a matrix as a text that can be typed again.
import type { Number as Printed } from "../answers";
import { typed } from "./whatif";

/**
 * One line for each row. Rows are found by the index of each number, since a notation may show a matrix transposed. With
 * an `entry`, only the row in which it stands.
 */
export function matrixText(numbers: readonly Printed[], entry?: readonly number[]): string {
  const rows = new Map<string, Printed[]>();
  for (const number of numbers) {
    const row = rowOf(number.index);
    if (!rows.has(row)) rows.set(row, []);
    rows.get(row)!.push(number);
  }
  const wanted = entry ? [rows.get(rowOf(entry)) ?? []] : [...rows.values()];
  return wanted.map((row) => row.sort(byColumn).map(({ value }) => typed(value)).join(" ")).join("\n");
}

const rowOf = (index: readonly number[]): string => index.slice(0, -1).join(",");
const byColumn = (one: Printed, other: Printed): number => (one.index.at(-1) ?? 0) - (other.index.at(-1) ?? 0);
