"""Pictures in lessons of one's own: in every format, and refused with the line."""

from __future__ import annotations

import base64
import json
import struct
import zlib

import pytest

from workings.document.blocks import Image, plain_text, to_data
from workings.document.from_data import document_of
from workings.engine.errors import WorkingsError
from workings.lessons.lesson import lesson
from workings.render.extra_files import ExtraFiles
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.notebook.notebook import to_notebook
from workings.render.tex.page import typeset
from workings.render.typst.printing import to_pdf

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>'


def png(width=2, height=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.fixture
def made(tmp_path):
    """A lesson with this text, and two pictures beside it."""
    (tmp_path / "plot.png").write_bytes(png())
    (tmp_path / "plot.svg").write_bytes(SVG)
    (tmp_path / "fake.png").write_bytes(b"MZ")

    def of(text):
        (tmp_path / "mine.md").write_text(f"---\ntitle: Mine\nscenario: example-1\n---\n{text}\n")
        return lesson(tmp_path / "mine.md").document

    return of


BOTH = '![A grey square](plot.png "It is *square*.")\n\n![A black bar](plot.svg)'


def test_a_picture_is_a_block_with_its_bytes_its_words_and_its_caption(made):
    document = made(BOTH)
    first, second = (block for block in document.blocks if isinstance(block, Image))
    assert (first.content, first.ending, first.alternative) == (png(), "png", "A grey square")
    assert plain_text(first.caption) == "It is *square*."
    assert (second.content, second.ending, second.caption) == (SVG, "svg", ())
    assert document_of(json.loads(json.dumps(to_data(document)))) == document


def test_every_format_shows_it_or_says_what_it_shows(made):
    document = made(BOTH)
    data = base64.b64encode(png()).decode()
    assert f'<img src="data:image/png;base64,{data}" alt="A grey square">' in to_html(document)
    assert f"![A grey square](data:image/png;base64,{data})" in "".join(
        part for cell in json.loads(to_notebook(document))["cells"] for part in cell["source"]
    )
    assert "*[picture: A grey square]*" in to_markdown(document)
    assert r"\emph{[picture: A black bar]}" in typeset(document).text
    assert b"/Image" in to_pdf(document).pdf


@pytest.mark.parametrize(("write", "kind", "second"), [(to_markdown, "svg", b"<svg"), (typeset, "pdf", b"%PDF")])
def test_markdown_and_latex_have_it_as_a_file_beside_them(write, kind, second, made):
    extra = ExtraFiles("mine-files", kind)
    page = write(made(BOTH), extra=extra)
    page = getattr(page, "text", page)
    assert list(extra.files) == ["figure-001.png", f"figure-002.{kind}"]
    assert extra.files["figure-001.png"] == png()
    assert extra.files[f"figure-002.{kind}"].startswith(second)
    assert all(f"mine-files/{name}" in page for name in extra.files)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("![](plot.png)", "Nothing says what plot.png shows."),
        ("![x](nowhere.png)", "no picture 'nowhere.png'"),
        ("![x](../plot.png)", "cannot be shown as a picture"),
        ("![x](https://example.org/plot.png)", "cannot be shown as a picture"),
        ("![x](plot.tiff)", "cannot be shown as a picture"),
        ("![x](fake.png)", "not a picture of the kind .png"),
        ("See ![x](plot.png) here.", "A picture is within a line."),
    ],
)
def test_what_is_no_picture_is_refused_with_its_line(text, said, made):
    with pytest.raises(WorkingsError) as refused:
        made(f"\n{text}")
    assert said in refused.value.what
    assert "mine.md, line 6" in refused.value.where
    assert refused.value.hint
