// A matrix in the forms in which people carry numbers elsewhere. Values are written as they are, without rounding.

export type Format = "latex" | "numpy" | "csv" | "markdown";
type Value = number | string;

/** A matrix of the page: its numbers as values and as printed, and the words beside it. */
export interface Copied {
  readonly name: string;
  readonly values: readonly (readonly Value[])[];
  readonly texts: readonly (readonly string[])[];
  readonly rowLabels: readonly string[];
  readonly columnLabels: readonly string[];
  /** How many axes the step has: a vector has one, a single number none. Without it, a matrix. */
  readonly axes?: number;
}

export function copied(matrix: Copied, format: Format): string {
  switch (format) {
    case "latex":
      return inLatex(matrix);
    case "numpy":
      return inNumpy(matrix);
    case "csv":
      return inCsv(matrix);
    case "markdown":
      return inMarkdown(matrix);
  }
}

/** As printed: what stands in a text is meant for readers. */
function inLatex({ texts }: Copied): string {
  const rows = texts.map((row) => row.map(latexNumber).join(" & "));
  return `\\begin{bmatrix}\n${rows.join(" \\\\\n")}\n\\end{bmatrix}`;
}

const latexNumber = (text: string): string => {
  const plain = text.replaceAll("−", "-").replace("-∞", "-\\infty").replace("∞", "\\infty");
  const power = /^(-?[\d.,]+)(?:e|×10\^?)([-+]?\d+)$/i.exec(plain);
  return power ? `${power[1]} \\times 10^{${Number(power[2])}}` : plain.replaceAll(/[&%#_{}$]/g, "\\$&");
};

/** With every digit, so that the program goes on with the same number. */
function inNumpy({ name, values, axes = 2 }: Copied): string {
  const variable = /^[A-Za-z_]\w*$/.test(name) ? name : "matrix";
  const all = values.flat().map(pythonNumber).join(", ");
  if (axes === 0) return `${variable} = np.array(${all})`;
  if (axes === 1) return `${variable} = np.array([${all}])`;
  const rows = values.map((row) => `    [${row.map(pythonNumber).join(", ")}],`);
  return `${variable} = np.array([\n${rows.join("\n")}\n])`;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { inf: "np.inf", "-inf": "-np.inf", nan: "np.nan" };
const pythonNumber = (value: Value): string => (typeof value === "number" ? String(value) : (PYTHON_WORDS[value] ?? value));

function inCsv({ values, rowLabels, columnLabels }: Copied): string {
  const head = columnLabels.length ? [[...(rowLabels.length ? [""] : []), ...columnLabels]] : [];
  const rows = values.map((row, n) => [...(rowLabels.length ? [rowLabels[n] ?? ""] : []), ...row.map(String)]);
  return [...head, ...rows].map((row) => row.map(csvCell).join(",")).join("\n");
}

/** A cell that a spreadsheet would take for a formula gets a sign that stops it. */
function csvCell(text: string): string {
  const harmless = /^[=+@\t\r]|^-(?![\d.]|inf$)/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function inMarkdown({ texts, rowLabels, columnLabels }: Copied): string {
  const hasRowLabels = rowLabels.length > 0;
  const columns = texts[0]?.length ?? 0;
  const head = [...(hasRowLabels ? [""] : []), ...(columnLabels.length ? columnLabels : Array<string>(columns).fill(""))];
  const line = [...(hasRowLabels ? [":--"] : []), ...Array<string>(columns).fill("--:")];
  const rows = texts.map((row, n) => [...(hasRowLabels ? [rowLabels[n] ?? ""] : []), ...row]);
  return [head, line, ...rows].map((row) => `| ${row.map(markdownCell).join(" | ")} |`).join("\n");
}

const markdownCell = (text: string): string => text.replaceAll(/[\\|]/g, "\\$&").replaceAll(/[\r\n]+/g, " ");
