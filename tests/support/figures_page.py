"""docs/figures.md: every figure with its example and its options, derived from the pages in `workings.figures`.
`make reference` writes it.
"""

from __future__ import annotations

import io
import shlex
from contextlib import redirect_stdout

from workings.cli.main import main
from workings.figures import PAGES
from workings.figures.parts.options import options_in
from workings.figures.parts.page import COMMON_OPTIONS, FigurePage
from workings.render.markdown import escaped, heading, table

INTRODUCTION = """`workings figure` draws a part of a run: as text in the terminal, or with `-o` as a picture in a
file that ends in `.svg`, `.png` or `.pdf`. Without a name it lists the figures. The run is one of a scenario, of the
scenario of a lesson (`workings figure my-lesson.md heatmap:weights`), of a trace in a JSON file, or of a training in
its folder."""

IN_LESSONS = """A lesson names a figure and what it shows, with options below:

```
:::{figure} plane E
:labels: A, B, C, D
:title: Where the four tokens are
:::
```

Every figure has these options; the others are listed with their figures."""

IN_PYTHON = """Each figure has a function that returns it as data: `heatmap_of`, `flow_of`, `vectors_of` and so on,
`loss_curve` and `curves_of` (the losses of several runs). Every number in it says which entry of which step it is. A
picture that is not a chart has classes (`ink`, `faint`, `paper`, `leaf`, `accent`) that the style sheet of a page may
color.

```python
>>> import workings as w
>>> from workings.figures import picture
>>> from workings.figures.heatmap import heatmap_of
>>> from workings.figures.parts.grid import Grid
>>> figure = heatmap_of(w.scenario("example-1").trace(), "weights", {"query": ("A", "B"), "key": ("A", "B")})
>>> assert isinstance(figure.data, Grid)
>>> figure.data.rows[0][1]
Number(text='0.4982', value=0.4982322404126925, step='14', index=(0, 1), role='entry', mistake='', kind='number')
>>> picture(figure, "svg").startswith(b"<svg")
True

```

A new figure is one file: see [CONTRIBUTING](../CONTRIBUTING.md#adding-a-figure)."""


def figures_page() -> str:
    """The text of the page."""
    parts = [
        heading(1, "Figures"),
        INTRODUCTION,
        console("workings figure"),
        *(part for page in PAGES.values() for part in section(page)),
        heading(2, "In a lesson"),
        IN_LESSONS,
        table(["option", "what it says"], [[f"`{name}`", escaped(help)] for name, help in COMMON_OPTIONS.items()]),
        heading(2, "In Python"),
        IN_PYTHON,
    ]
    return "\n\n".join(parts) + "\n"


def section(page: FigurePage) -> list[str]:
    usage = f"In a lesson: `figure {f'{page.name} {page.takes.value}'.strip()}`"
    entries = options_in(page.options).items()
    rows = [[f"`{name}`", escaped(entry.type.words), escaped(entry.help)] for name, entry in entries]
    return [
        heading(2, page.name),
        page.about,
        console(page.example.command(page.name)),
        f"{usage}, with these options:" if rows else f"{usage}.",
        *([table(["option", "what fits", "what it says"], rows)] if rows else []),
    ]


def console(command: str) -> str:
    """A command, and what it prints."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with redirect_stdout(stream):
        assert main(shlex.split(command)[1:]) == 0
    stream.seek(0)
    return f"```console\n$ {command}\n{stream.read()}```"
