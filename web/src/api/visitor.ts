// A code for one visit, made up by the page: by it the lab tells the people of one address apart, so that a whole class
// is not taken for one person who asks too often. It is stored nowhere but in this tab.
const SHELF = "workings-visitor";
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const GROUPS = 4;
const IN_GROUP = 5;

export function visitorCode(): string {
  try {
    const known = sessionStorage.getItem(SHELF) ?? newCode();
    sessionStorage.setItem(SHELF, known);
    return known;
  } catch {
    return (unkept ??= newCode()); // a page that may not remember anything has it as long as it is open
  }
}

let unkept: string | undefined;

/** Groups of letters and digits, as the lab knows codes. */
export function newCode(): string {
  const group = (): string =>
    Array.from(crypto.getRandomValues(new Uint8Array(IN_GROUP)), (byte) => LETTERS[byte % LETTERS.length]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
