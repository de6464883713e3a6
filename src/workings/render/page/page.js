// A few conveniences. The page can be read without this script.
const root = document.documentElement;
const all = (selector) => document.querySelectorAll(selector);

// Formulas: KaTeX replaces the text form. What KaTeX refuses stays text.
for (const place of all("[data-latex]")) {
  const displayMode = place.matches(".formula *");
  try {
    katex.render(place.dataset.latex, place, { displayMode, output: "html", trust: false });
  } catch (error) {
    console.error(error.message);
  }
}

// Light and dark: as the system has it, until the reader chooses.
const system = matchMedia("(prefers-color-scheme: dark)");
const theme = document.querySelector("button.theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("workings-theme", root.dataset.theme);
  } catch {
    // It lasts as long as the page is open.
  }
});

// Programs can be copied, where the browser allows it.
if (navigator.clipboard) {
  for (const program of all(".program")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(program.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    program.append(button);
  }
}

// On paper everything is open; afterwards it is as it was.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...all("details:not([open])")];
  for (const fold of closed) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of closed) fold.open = false;
});

// A box that scrolls can be reached with the keyboard, and says on which sides there is more.
function edges(box) {
  const room = box.scrollWidth - box.clientWidth;
  const more = [box.scrollLeft > 1 && "left", box.scrollLeft < room - 1 && "right"].filter(Boolean);
  if (room > 0) [box.tabIndex, box.dataset.more] = [0, more.join(" ")];
  else ["tabindex", "data-more"].forEach((name) => box.removeAttribute(name));
}
const boxes = new ResizeObserver((entries) => entries.forEach(({ target }) => edges(target)));
for (const box of all(".scrolls")) {
  boxes.observe(box);
  box.addEventListener("scroll", () => edges(box), { passive: true });
}

// The contents are open where there is room next to the text.
const contents = document.querySelector("nav details");
const isWide = matchMedia("(min-width: 68rem)");
const openContents = () => contents?.toggleAttribute("open", isWide.matches);
isWide.addEventListener("change", openContents);
openContents();

// The part of the page that is being read is marked in the contents.
const headings = [...all("nav a")].map((link) => [link, document.getElementById(decodeURIComponent(link.hash.slice(1)))]);
function mark() {
  const above = headings.filter(([, heading]) => heading.getBoundingClientRect().top < innerHeight / 3);
  const here = above.at(-1)?.[0];
  for (const [link] of headings) {
    if (link === here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
addEventListener("scroll", mark, { passive: true });
mark();
