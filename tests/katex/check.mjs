// Reads a JSON list of LaTeX strings, and prints for each one null or what KaTeX has against it.
// A pair of strings is also refused when KaTeX sets the two differently.
import { readFileSync } from "node:fs";

const { default: katex } = await import(process.argv[2]); // its address

const options = { throwOnError: true, strict: "error", trust: false };

function complaint(entry) {
  try {
    const [first, ...others] = [entry].flat().map(setting);
    return others.every((other) => other === first) ? null : "The two are not set alike.";
  } catch (error) {
    return error.message;
  }
}

// Without the copy of the source that KaTeX puts into the MathML.
function setting(latex) {
  return katex.renderToString(latex, options).replace(/<annotation.*?<\/annotation>/s, "");
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(complaint)));
