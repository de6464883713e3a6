"""Somebody who goes through the lab with a browser, and everything that the browser complains about meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote_plus

from playwright.sync_api import Browser, Page, expect

PATIENCE = 30_000  # milliseconds: other tests share the machine
expect.set_options(timeout=PATIENCE)

# What a policy forbids is said in the console, as everything else that goes wrong.
WATCH = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`the policy forbids ${event.violatedDirective} ${event.blockedURI}`))"""

# Long pages are drawn in parts, formulas and letters come late, and each can make a box scroll.
AT_REST = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let [before, quiet] = ["", 0]; quiet < 3; ) {
        await document.fonts.ready;
        await frame();
        await frame();
        const { scrollHeight } = document.documentElement;
        const now = `${document.querySelectorAll("*").length} elements, ${scrollHeight} pixels`;
        quiet = now === before ? quiet + 1 : 0;
        before = now;
    }
}"""

WORDS = " ".join(f"word{n}" for n in range(20))
TWENTY_WORDS = f"""scenario: 1
vocabulary: "{WORDS}"
model: {{kind: decoder, width: 4, heads: 2, hidden: 4, norm: none, position: learned}}
parameters: {{seed: 1}}
data: {{input: "{WORDS}", target: word0}}
"""

# Each page of the lab, as an address, with the role and the name of what comes last.
VIEWS = {
    "home": ("#/", "link", "Follow every number back"),
    "lesson": ("#/lesson/example-3", "navigation", "Other lessons"),
    "lesson with figures": ("#/lesson/embeddings", "navigation", "Other lessons"),
    "nothing chosen": ("#/explore", "heading", "Choose what to explore"),
    "step": ("#/explore/example-3/weights?run=twin", "table", "weights"),
    "entry": ("#/explore/example-3/weights[1][0]?run=twin", "list", "Gradient path from the loss"),
    "what if": (
        "#/explore/example-3/W_V[0][0]?run=twin&panel=what-if&W_V[0][0]=0.3",
        "heading",
        "What changed",
    ),
    "heatmap": (f"#/explore/own/weights?scenario={quote_plus(TWENTY_WORDS)}", "application", "weights"),
    "practice": ("#/practice/example-1", "button", "Check all"),
    "check": ("#/check", "heading", "Check my numbers"),
    "checked": (
        "#/check?Q=1+0;+0+1&K=1+0;+1+1&V=1+2;+3+4&my.scores=1+0;+0+1",
        "link",
        "Open in the explorer",
    ),
    "progress": ("#/progress", "button", "Save my progress"),
    "models": ("#/models", "table", ""),
    "model": ("#/models/gpt2", "table", ""),
    "problem": ("#/lesson/nothing-like-it", "alert", ""),
}


class Visitor:
    """A page, and what went wrong on it. `foreseen` are parts of complaints that are no surprise."""

    def __init__(self, page: Page, lab: str) -> None:
        self.page, self.lab = page, lab
        self.complaints: list[str] = []
        self.foreseen: list[str] = []
        page.on(
            "console", lambda said: self._complain(f"{said.text} {said.location}", said.type in ("error", "warning"))
        )
        page.on("pageerror", lambda error: self._complain(str(error)))
        page.on("dialog", lambda dialog: (self._complain(f"a dialog: {dialog.message}"), dialog.dismiss()))

    def _complain(self, text: str, bad: bool = True) -> None:
        if bad and not any(part in text for part in self.foreseen):
            self.complaints.append(text)

    def load(self, address: str) -> Page:
        """The address, as typed into a new window: the whole front end begins anew."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.lab}/{address}")
        return self.page

    def see(self, name: str) -> Page:
        """One of the views, until it is complete."""
        address, role, title = VIEWS[name]
        if name == "problem":
            self.foreseen.append("404")
        self.page.goto(f"{self.lab}/{address}")
        expect(self.page.get_by_role(role, name=title).first).to_be_visible()
        self.settle()
        return self.page

    def settle(self) -> None:
        """Nothing is on its way any more."""
        expect(self.page.get_by_text("Loading…")).to_have_count(0)
        self.page.evaluate(AT_REST)


@contextmanager
def visitor(browser: Browser, lab: str, **options: object) -> Iterator[Visitor]:
    """A person with a browser of their own. When they leave, nothing may have gone wrong that was not foreseen."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 1000}, **options})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(WATCH)
    who = Visitor(context.new_page(), lab)
    yield who
    context.close()
    assert not who.complaints, who.complaints
