// Many things to press, one stop for the tab key: the arrows go from one to the next.

/** Where an arrow leads from one of the things; in a table up and down stay in their column. */
export function nextOf(items: readonly Element[], from: Element, key: string): Element | undefined {
  const n = items.indexOf(from);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  const down = { ArrowUp: -1, ArrowDown: 1 }[key];
  const row = from.closest("tr");
  if (down && row) return inColumn(items, from, down);
  const along = down ?? { ArrowLeft: -1, ArrowRight: 1 }[key];
  return along ? items[n + along] : undefined;
}

function inColumn(items: readonly Element[], from: Element, down: number): Element | undefined {
  const place = (item: Element) => ({
    row: item.closest("tr")!.rowIndex,
    column: item.closest<HTMLTableCellElement>("td, th")!.cellIndex,
  });
  const here = place(from);
  return items.find((item) => place(item).row === here.row + down && place(item).column === here.column);
}

/** Attached to a box; `selector` are the things in it. */
export function roving(selector: string) {
  return (box: Element): (() => void) => {
    const items = (): HTMLElement[] => [...box.querySelectorAll<HTMLElement>(selector)];
    const stopAt = (one: Element | undefined): void => {
      for (const item of items()) item.setAttribute("tabindex", item === one ? "0" : "-1");
    };
    const onKey = (event: Event): void => {
      const from = (event.target as Element).closest(selector);
      const next = from && nextOf(items(), from, (event as KeyboardEvent).key);
      if (!next) return;
      event.preventDefault(); // the arrows would scroll the page as well
      (next as HTMLElement).focus();
    };
    const onFocus = (event: Event): void => {
      const item = (event.target as Element).closest(selector);
      if (item) stopAt(item);
    };
    /** The stop is where somebody is, else what is open, else the first; what is gone is none. */
    const settle = (): void => {
      const all = items();
      const stop = all.find((item) => item.getAttribute("tabindex") === "0");
      const open = all.find((item) => item.getAttribute("aria-pressed") === "true");
      if (!stop || (open && !box.contains(document.activeElement))) stopAt(open ?? all[0]);
    };
    stopAt(undefined);
    settle();
    const changes = new MutationObserver(settle);
    changes.observe(box, { childList: true, subtree: true, attributeFilter: ["aria-pressed"] });
    box.addEventListener("keydown", onKey);
    box.addEventListener("focusin", onFocus);
    return () => {
      changes.disconnect();
      box.removeEventListener("keydown", onKey);
      box.removeEventListener("focusin", onFocus);
    };
  };
}

/** Enter and Space press what is no button by itself. */
export function pressed(event: KeyboardEvent, act: () => void): void {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault(); // Space would scroll the page as well
  act();
}
