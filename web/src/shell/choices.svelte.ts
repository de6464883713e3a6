// How somebody wants to see the lab: light or dark, and how large. Kept by the browser.

const root = document.documentElement;
const LARGE = "workings-large";
const THEME = "workings-theme";

function kept(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page is open.
  }
}

class Choices {
  large = $state(kept(LARGE) === "yes");
  dark = $state(false);

  constructor() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const chosen = kept(THEME);
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    this.dark = root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
    system.addEventListener("change", () => {
      if (!root.dataset.theme) this.dark = system.matches;
    });
    root.toggleAttribute("data-large", this.large);
  }

  changeLight(): void {
    this.dark = !this.dark;
    root.dataset.theme = this.dark ? "dark" : "light";
    keep(THEME, root.dataset.theme);
  }

  changeSize(): void {
    this.large = !this.large;
    root.toggleAttribute("data-large", this.large);
    keep(LARGE, this.large ? "yes" : "no");
  }
}

export const choices = new Choices();
