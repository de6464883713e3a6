"""A lesson from somebody else does no harm: what it writes is text on every target."""

import pytest

from workings.explain.document import Reference
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.teach.lesson import Lesson
from workings.teach.reading.lesson_file import read_lesson

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


@pytest.fixture(scope="module")
def document():
    return Lesson("hostile", read_lesson(HOSTILE, "hostile.md")).written().document


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
