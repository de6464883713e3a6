import { expect, it } from "vitest";
import { copied, type Copied } from "./copying";

const MATRIX: Copied = {
  name: "weights",
  values: [
    [0.5, -0.125],
    ["-inf", 1e-7],
  ],
  texts: [
    ["0.5", "−0.13"],
    ["-∞", "1e-07"],
  ],
  rowLabels: ["A", "B"],
  columnLabels: ["A", "B|x"],
};

it("writes LaTeX as printed", () => {
  expect(copied(MATRIX, "latex")).toBe(
    "\\begin{bmatrix}\n0.5 & -0.13 \\\\\n-\\infty & 1 \\times 10^{-7}\n\\end{bmatrix}",
  );
});

it("writes NumPy with every digit", () => {
  expect(copied(MATRIX, "numpy")).toBe("weights = np.array([\n    [0.5, -0.125],\n    [-np.inf, 1e-7],\n])");
  expect(copied({ ...MATRIX, name: "W_Q (head 0)" }, "numpy")).toContain("matrix = np.array(");
});

it("writes a vector and a single number for NumPy in their own shape", () => {
  const vector = { ...MATRIX, values: [[0.5, 1]] };
  expect(copied({ ...vector, axes: 1 }, "numpy")).toBe("weights = np.array([0.5, 1])");
  expect(copied({ ...vector, values: [[0.5], [1]], axes: 1 }, "numpy")).toBe("weights = np.array([0.5, 1])");
  expect(copied({ ...vector, values: [[0.5]], axes: 0 }, "numpy")).toBe("weights = np.array(0.5)");
});

it("writes CSV that a spreadsheet reads as numbers", () => {
  expect(copied(MATRIX, "csv")).toBe(",A,B|x\nA,0.5,-0.125\nB,-inf,1e-7");
});

it("makes no formula of a hostile token", () => {
  const labels = ['=HYPERLINK("x")', "a,b"];
  expect(copied({ ...MATRIX, rowLabels: labels }, "csv").split("\n")[1]).toBe(`"'=HYPERLINK(""x"")",0.5,-0.125`);
});

it("writes a Markdown table, with or without words beside it", () => {
  expect(copied(MATRIX, "markdown").split("\n")[0]).toBe("|  | A | B\\|x |");
  const bare = { ...MATRIX, rowLabels: [], columnLabels: [] };
  expect(copied(bare, "markdown").split("\n")).toEqual(["|  |  |", "| --: | --: |", "| 0.5 | −0.13 |", "| -∞ | 1e-07 |"]);
});
