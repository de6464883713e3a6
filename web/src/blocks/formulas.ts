// Formulas: the text form stands there until KaTeX has come, and stays if KaTeX refuses.
import type { Attachment } from "svelte/attachments";

type Katex = typeof import("katex").default;
let katex: Katex | undefined;
let coming: Promise<Katex> | undefined;

/** KaTeX and its letters, loaded once, when the first formula is there. */
export function loadKatex(): Promise<Katex> {
  coming ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([module]) => (katex = module.default));
  return coming;
}

/** Sets a formula into an element that holds nothing else. */
export function formula(latex: string, text: string, display: boolean): Attachment<HTMLElement> {
  return (place) => {
    let wanted = true;
    const set = (by: Katex): void => {
      try {
        if (wanted) by.render(latex, place, { displayMode: display, output: "html", trust: false });
      } catch (error) {
        console.error(error);
      }
    };
    place.textContent = text;
    if (katex) set(katex);
    else void loadKatex().then(set);
    return () => (wanted = false);
  };
}
