// The address of the page, as something that components can watch.
import { addressOf, type View, viewAt } from "./view";

class Address {
  view = $state.raw<View>(viewAt(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.view = viewAt(location.hash)));
  }
}

export const address = new Address();

/** Shows another view. The back button comes back from it, unless it only `replaces` the one that is there. */
export function go(view: View, { replace = false } = {}): void {
  const hash = addressOf(view);
  if (hash !== location.hash) {
    if (replace) history.replaceState(history.state, "", hash);
    else {
      keepTop();
      history.pushState(null, "", hash);
    }
  }
  address.view = view;
}

// How far somebody had scrolled is kept with each address in the history: pages come too late for the browser to know.
history.scrollRestoration = "manual";
const keepTop = (): void => history.replaceState({ top: scrollY }, "");
addEventListener("scrollend", keepTop);
addEventListener("pagehide", keepTop); // some browsers do not say when scrolling ends

/** How far down somebody was when they left this address; 0 where nobody has been. */
export const keptTop = (): number => (history.state as { top?: number } | null)?.top ?? 0;
