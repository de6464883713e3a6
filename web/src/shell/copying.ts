// Copies a text, and says whether it could.
import { say } from "../words/say";
import { announce } from "./messages.svelte";

/** Copies, and gives the sentence that tells what came of it; it is said as well. */
export async function copyText(text: string, copied = "page.copied", refused = "lab.copy.refused"): Promise<string> {
  const done = (await written(text)) || selected(text);
  const message = say(done ? copied : refused);
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
