// The words of a program marked by what they are, under the short classes that the style sheet knows from Pygments.

export interface Piece {
  readonly text: string;
  readonly look: "" | "k" | "s" | "c" | "m";
}

const PYTHON_WORDS =
  "and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|" +
  "lambda|None|nonlocal|not|or|pass|raise|return|True|False|try|while|with|yield";
const STRINGS = String.raw`[rbfRBF]{0,2}"""[\s\S]*?"""|[rbfRBF]{0,2}'''[\s\S]*?'''|[rbfRBF]{0,2}"(?:\\.|[^"\\\n])*"|[rbfRBF]{0,2}'(?:\\.|[^'\\\n])*'`;
const NUMBERS = String.raw`\b\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?\b`;
const PYTHON = new RegExp(`(?<c>#.*)|(?<s>${STRINGS})|(?<k>\\b(?:${PYTHON_WORDS})\\b)|(?<m>${NUMBERS})`, "g");
const YAML = new RegExp(`(?<c>(?<=^|\\s)#.*)|(?<s>${STRINGS})|(?<k>^\\s*-?\\s*[\\w.-]+(?=:))|(?<m>${NUMBERS})`, "gm");
const LANGUAGES: Readonly<Record<string, RegExp>> = { python: PYTHON, py: PYTHON, yaml: YAML };

/** The pieces one after the other are the source again; a language that is not known is one piece. */
export function pieces(source: string, language: string): Piece[] {
  const pattern = LANGUAGES[language];
  if (!pattern) return [{ text: source, look: "" }];
  const found: Piece[] = [];
  let end = 0;
  for (const match of source.matchAll(pattern)) {
    if (match.index > end) found.push({ text: source.slice(end, match.index), look: "" });
    const look = (Object.keys(match.groups!) as Piece["look"][]).find((name) => match.groups![name] !== undefined);
    found.push({ text: match[0], look: look ?? "" });
    end = match.index + match[0].length;
  }
  if (end < source.length) found.push({ text: source.slice(end), look: "" });
  return found;
}
