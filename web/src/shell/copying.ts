// Copies a text, and says whether it could.
import { announce } from "./messages.svelte";

const REFUSED = "The browser blocked the clipboard. Allow this page to use it, then try again.";

/** Copies, and gives the message about the outcome; it is announced as well. */
export async function copyText(text: string, copied = "Copied", refused = REFUSED): Promise<string> {
  const done = (await written(text)) || selected(text);
  const message = done ? copied : refused;
  announce(message);
  return message;
}

/** The way for pages with a safe connection; a browser may refuse it. */
const written = async (text: string): Promise<boolean> =>
  navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  ) ?? false;

/** The old way, for a lab that a class reaches over plain http. */
function selected(text: string): boolean {
  const before = document.activeElement;
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
