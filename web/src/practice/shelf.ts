// Answers stay in the browser, sheet by sheet, so that a reload loses nothing. The sheets touched longest ago go first.

const SHELF = "workings-sheets";
const MOST = 30;

export type Given = Readonly<Record<string, string>>;

/** The sheets with one more, or with this one as it is now; an empty one is no longer there. */
export function shelved(sheets: Readonly<Record<string, Given>>, code: string, answers: Given): Record<string, Given> {
  const filled = Object.fromEntries(Object.entries(answers).filter(([, text]) => text.trim()));
  const others = Object.entries(sheets).filter(([other]) => other !== code);
  const all = Object.keys(filled).length ? [...others, [code, filled] as const] : others;
  return Object.fromEntries(all.slice(-MOST));
}

export const answersTo = (code: string): Given => read()[code] ?? {};

export function keepAnswers(code: string, answers: Given): void {
  try {
    localStorage.setItem(SHELF, JSON.stringify(shelved(read(), code, answers)));
  } catch {
    // A browser that keeps nothing: the answers last as long as the page is open.
  }
}

function read(): Record<string, Given> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(SHELF) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, Given>) : {};
  } catch {
    return {};
  }
}
