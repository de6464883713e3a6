// Every sentence comes from the catalogue of the package, under a key. It arrives with the start of the page.
import type { Start } from "../answers";

let sentences: Readonly<Record<string, string>> = {};

export function learnWords(start: Start): void {
  sentences = start.sentences;
  document.documentElement.lang = start.language;
}

/** The sentence under `key` with its values filled in: say("lab.lesson.minutes", { minutes: 20 }). */
export function say(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  return filled(sentences[key] ?? key, values);
}

/** {name} becomes the value of that name, and {{ stands for a brace. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{|\}\}|\{(\w+)\}/g, (found, name: string | undefined) =>
    name === undefined ? found[0]! : String(values[name] ?? found),
  );
}
