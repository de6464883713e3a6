// A box that scrolls can be reached with the keyboard, and says on which sides there is more.

export function scrolling(box: HTMLElement): () => void {
  function edges(): void {
    const room = box.scrollWidth - box.clientWidth;
    const sides = [box.scrollLeft > 1 && "left", box.scrollLeft < room - 1 && "right"].filter(Boolean);
    if (room > 0) {
      box.tabIndex = 0;
      box.dataset.more = sides.join(" ");
    } else {
      box.removeAttribute("tabindex");
      delete box.dataset.more;
    }
  }
  const sizes = new ResizeObserver(edges);
  sizes.observe(box);
  box.addEventListener("scroll", edges, { passive: true });
  return () => sizes.disconnect();
}
