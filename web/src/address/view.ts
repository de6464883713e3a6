// The address of a view, and the view of an address. The address is all the state that a page has: whoever opens it sees
// the same.
//
//   #/explore/example-3/weights[1][0]?run=twin&precision=calculator+4+significant&W_Q[0][1]=0.3
//
// A key behind the question mark that is no setting is an edit. The order of edits is kept: a later one may stand on an
// earlier one.

export const PAGES = ["home", "lesson", "explore", "practice", "check", "progress", "models", "nowhere"] as const;
export type PageName = (typeof PAGES)[number];

/** What each page is called in menus. */
export const PAGE_LABELS = {
  home: "Lessons",
  lesson: "Lesson",
  explore: "Explore",
  practice: "Practice",
  check: "Check",
  progress: "Progress",
  models: "Models",
} as const satisfies Partial<Record<PageName, string>>;
export type ListedPage = keyof typeof PAGE_LABELS;

/** What a page may keep in its address besides edits. */
export const SETTINGS = [
  "run", "precision", "convention", "numbers", "digits", "scenario", "notation", // which trace
  "at", "lead", "zoom", "open", "panel", "list", // where the explorer stands
  "number", "seed", "blanks", "mask", "heads", "start", // which number of a lesson, which sheet, which check
] as const;
export type Setting = (typeof SETTINGS)[number];

export interface View {
  readonly page: PageName;
  /** A lesson, a scenario, a model. */
  readonly name: string;
  /** Within it: a step and an entry, or a heading. */
  readonly place: string;
  readonly settings: Readonly<Partial<Record<Setting, string>>>;
  readonly edits: readonly string[];
}

/** A view from the parts that matter. */
export function view(page: PageName, parts: Partial<Omit<View, "page">> = {}): View {
  return { page, name: "", place: "", settings: {}, edits: [], ...parts };
}

const PLACE = 2; // in the path, behind the page and the name: the rest of it

export function addressOf({ page, name, place, settings, edits }: View): string {
  const path = page === "home" ? [] : trimmed([page, name, place]);
  const given = SETTINGS.filter((key) => settings[key]).map((key) => `${key}=${encoded(settings[key]!)}`);
  const query = [...given, ...edits.map(edited)].join("&");
  const written = path.map((part, n) => (n === PLACE ? part.split("/").map(encoded).join("/") : encoded(part)));
  return `#/${written.join("/")}${query && `?${query}`}`;
}

/** Any address means something: none is the start, and one that nobody made is nowhere. */
export function viewAt(hash: string): View {
  const [, path = "", query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const [page = "", name = "", ...place] = path.split("/").map(decoded);
  if (!page) return view("home");
  if (!isPage(page)) return view("nowhere", { name: decoded(path) });
  const settings: Partial<Record<Setting, string>> = {};
  const edits: string[] = [];
  for (const piece of query.split("&").filter(Boolean)) {
    const [key, value] = halves(piece);
    if (isSetting(key)) settings[key] = value ?? "";
    else edits.push(value === undefined ? key : `${key}=${value}`);
  }
  return { page, name, place: place.join("/"), settings, edits };
}

const isPage = (word: string): word is PageName => (PAGES as readonly string[]).includes(word);
const isSetting = (word: string): word is Setting => (SETTINGS as readonly string[]).includes(word);

function trimmed(parts: string[]): string[] {
  while (parts.at(-1) === "") parts.pop();
  return parts;
}

function edited(edit: string): string {
  const end = edit.indexOf("=");
  return end < 0 ? encoded(edit) : `${encoded(edit.slice(0, end))}=${encoded(edit.slice(end + 1))}`;
}

function halves(piece: string): [string, string | undefined] {
  const end = piece.indexOf("=");
  return end < 0 ? [decoded(piece), undefined] : [decoded(piece.slice(0, end)), decoded(piece.slice(end + 1))];
}

/** Readable where it can be: brackets and signs of numbers stand as they are, a blank is a plus sign. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll("%20", "+")
    .replaceAll(/%(5B|5D|2C|3A|3B|40)/g, (sign) => decodeURIComponent(sign));

function decoded(text: string): string {
  const blanks = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(blanks);
  } catch {
    return blanks; // a percent sign that somebody typed
  }
}
