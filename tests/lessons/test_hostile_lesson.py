"""A lesson from somebody else does no harm: what it writes is text on every target."""

import ast
import json
import re
import shutil
import subprocess

import pytest
from pdf_reading import text_of

from workings.document.blocks import Reference
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.notebook.notebook import to_notebook
from workings.render.tex.page import to_tex
from workings.render.typst.printing import to_pdf

HOSTILE = """---
title: "<script>alert(1)</script>"
about: x
scenario: example-1
---
# <img src=x onerror=alert(1)>

<script>alert(2)</script> and <b onclick=alert(3)>bold</b> and [press](javascript:alert(4)).

<div onclick="alert(5)">

| <i>a</i> | b |
|---|---|
| `</code><script>` | [c](data:text/html,x) |

::::{fold} </summary><script>alert(6)</script>
:::{note}
</div>
:::
::::

```html
</code></pre><script>alert(7)</script>
```
"""
# The same for programs that set pages: commands of TeX and of Typst.
COMMANDS = r"""
# \\input{/etc/passwd} #read("/etc/passwd")

\\immediate\\write18{touch x} and \\end{document} and \\def\\x{\\x}\\x and %cut and #panic("x").

| [9pt] | *b |
|---|---|
| [CLS] | `#eval("1")` |
| *x | `\\end{tabular}` |

- [CLS] starts
- #import "@preview/x:1.0.0"

```text
\\end{verbatim}\\input{/etc/passwd}
```
"""


@pytest.fixture(scope="module")
def document():
    return Lesson("hostile", read_lesson(HOSTILE + COMMANDS, "hostile.md")).build().document


def test_html_holds_no_tag_of_the_lesson(document):
    page = to_html(document)
    for tag in ("<script>alert", "<img src=x", "<b onclick", "<div onclick", 'href="javascript:', 'href="data:'):
        assert tag not in page
    assert "&lt;script&gt;alert(2)" in page


def test_markdown_holds_no_tag_of_the_lesson(document):
    text = to_markdown(document).split("```html")[0]
    for line in text.splitlines():
        if not line.startswith(("|", "    ")):
            assert "<script" not in line.replace("\\<", "")


def test_only_pages_of_the_web_are_links(document):
    spans = [span for block in document.blocks for span in getattr(block, "spans", ())]
    assert not [span for span in spans if isinstance(span, Reference)]


def test_a_notebook_holds_no_tag_of_the_lesson(document):
    """But for those that are folded or shown as code, which a notebook does not carry out."""
    cells = json.loads(to_notebook(document))["cells"]
    prose = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    outside = re.sub(r"```.*?```|`[^`\n]*`", "", prose, flags=re.DOTALL)
    assert "alert(2)" in outside
    tags = re.findall(r"(?<!\\)<(?!/?(?:details|summary|code|span)>)[^\n]*", outside)
    assert tags == []
    assert outside.count("<details>") == outside.count("</summary>") == outside.count("</details>") == 2, (
        "its own fold, and that about its numbers"
    )
    for cell in cells:
        if cell["cell_type"] == "code":
            ast.parse("".join(cell["source"]))


def test_latex_holds_no_command_of_the_lesson(document, tmp_path):
    text = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", to_tex(document), flags=re.DOTALL)
    for command in (r"\input", r"\immediate", r"\write", r"\def", r"\end{tabular}\}"):
        assert command not in text
    assert text.count(r"\end{document}") == 1
    assert to_tex(document).rstrip().endswith(r"\end{document}")
    if shutil.which("pdflatex"):
        (tmp_path / "x.tex").write_text(to_tex(document), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "x.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-1000:]


def test_a_pdf_carries_nothing_out(document):
    printed = to_pdf(document)
    assert printed.pdf.startswith(b"%PDF-")
    text = re.sub("[“”]", chr(34), text_of(printed.pdf))
    for shown in ('#read("/etc/passwd")', '#panic("x")', "<script>alert(2)</script>", "[CLS]"):
        assert shown in text
    assert "root:" not in text
