import { expect, it } from "vitest";
import type { Number as Printed } from "../answers";
import { matrixText } from "./whatif_matrix";

const number = (value: number, ...index: number[]) => ({ value, index }) as Printed;
const shown = [number(1, 0, 0), number(2.5, 0, 1), number(-3, 1, 0), number(0.1 + 0.2, 1, 1)];

it("writes one line for each row", () => {
  expect(matrixText(shown)).toBe("1 2.5\n-3 0.3");
});

it("writes rows as they are computed, also where columns are shown", () => {
  expect(matrixText([shown[0]!, shown[2]!, shown[1]!, shown[3]!])).toBe("1 2.5\n-3 0.3");
});

it("writes the row of an entry, a vector, a single number", () => {
  expect(matrixText(shown, [1, 0])).toBe("-3 0.3");
  expect(matrixText([number(1, 0), number(2, 1)])).toBe("1 2");
  expect(matrixText([number(7)])).toBe("7");
});
