// The numbers and steps in a drawing can be opened like those in a text.
import type { Ways } from "./contexts";
import { pressed, roving } from "./roving";

/** Attached to the box around an SVG; what is openable in it becomes a button or a link. */
export function openable(ways: Ways) {
  return (box: HTMLElement): (() => void) | undefined => {
    const acts = new Map([...box.querySelectorAll<SVGElement>("[data-step]")].flatMap((part) => actOf(part, ways)));
    if (acts.size === 0) return undefined;
    const added = new AbortController(); // the address may change, and with it what leads where: nothing acts twice
    const { signal } = added;
    for (const [part, { role, act }] of acts) {
      part.setAttribute("role", role);
      part.classList.add("opens");
      if (!part.querySelector("title")) part.prepend(titleOf(part));
      part.addEventListener("click", act, { signal });
      part.addEventListener("keydown", (event) => pressed(event, act), { signal });
    }
    box.querySelector("svg")?.setAttribute("role", "group"); // an image would hide what is in it
    const unrove = roving(".opens")(box);
    return () => {
      added.abort();
      unrove?.();
    };
  };
}

/** What is written in it, line by line, as a name: without it the lines would be heard as one word. */
function titleOf(part: SVGElement): SVGTitleElement {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  const lines = [...part.querySelectorAll("text")].map((line) => line.textContent.trim());
  title.textContent = lines.join(" ") || part.textContent.trim();
  return title;
}

type Act = { role: "button" | "link"; act: () => void };

function actOf(part: SVGElement, { openNumber, stepAddress }: Ways): [SVGElement, Act][] {
  const { step = "", index } = part.dataset;
  if (index !== undefined) {
    const place = index === "" ? [] : index.split(",").map(Number);
    return openNumber ? [[part, { role: "button", act: () => openNumber(step, place) }]] : [];
  }
  const there = stepAddress?.(step);
  return there ? [[part, { role: "link", act: () => (location.hash = there) }]] : [];
}
