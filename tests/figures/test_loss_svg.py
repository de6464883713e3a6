"""The curve of a loss as SVG, PNG and PDF: it shows what the figure says, point by point."""

import math
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import workings as w
from workings.figures import KINDS, PAGES, picture
from workings.figures.loss import curve, loss_curve
from workings.figures.parts.chart import BAR_COLOR, CATEGORIES, ChartPage
from workings.figures.parts.colors import contrast
from workings.figures.parts.output import PIXELS

NAME = "{http://www.w3.org/2000/svg}"
WIDTH, HEIGHT = 480, 280
HISTORIES = {
    "few": [1.6, 1.2, 0.9, 0.7, 0.55, 0.5, 0.45, 0.5],
    "decades": [1.4 * 0.9**n for n in range(90)],
    "long": [2 + math.sin(n / 300) + 0.3 * math.sin(n * 1.7) for n in range(3000)],
    "one": [1.386],
    "constant": [0.5, 0.5, 0.5],
}


def loss_of(history):
    return loss_curve(w.Trace().with_run(history={"loss": history}))


def svg_of(figure):
    return ElementTree.fromstring(picture(figure, "svg"))


def marks(root, kind):
    """The outlines of all marks of one kind, each as the places that it goes through."""
    group = [node for node in root.iter(f"{NAME}g") if f"mark-{kind}" in node.get("class", "").split()]
    group = [node for node in group if "role-mark" in node.get("class")]
    return [
        [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.e-]+),(-?[\d.e-]+)", path.get("d"))]
        for node in group
        for path in node.iter(f"{NAME}path")
        if "background" not in path.get("class", "")
    ]


def place(data, across, value):
    def share(axis, number):
        low, high = axis.low, axis.high
        if axis.scale == "log":
            low, high, number = math.log10(low), math.log10(high), math.log10(number)
        return (number - low) / (high - low)

    return share(data.across, across) * WIDTH, (1 - share(data.up, value)) * HEIGHT


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=0.01)


@pytest.mark.parametrize("name", HISTORIES)
def test_the_line_of_an_svg_goes_through_the_points_of_the_figure(name):
    data = loss_of(HISTORIES[name]).data
    (line,) = marks(svg_of(loss_of(HISTORIES[name])), "line")
    same(line, [place(data, point.across, point.value) for point in data.lines[0].points])


def test_the_band_reaches_from_the_lowest_to_the_highest_value():
    data = loss_of(HISTORIES["long"]).data
    points = data.lines[0].points
    (band,) = marks(svg_of(loss_of(HISTORIES["long"])), "area")
    edges = {name: [place(data, p.across, getattr(p, name)) for p in points] for name in ("low", "high")}
    same(sorted(band), sorted(edges["low"] + edges["high"]))
    assert marks(svg_of(loss_of(HISTORIES["few"])), "area") == []


def texts(root):
    return ["".join(node.itertext()) for node in root.iter(f"{NAME}text")]


@pytest.mark.parametrize("name", HISTORIES)
def test_the_axes_of_an_svg_have_the_titles_and_numbers_of_the_figure(name):
    figure = loss_of(HISTORIES[name])
    expected = [
        *(tick.text for axis in (figure.data.across, figure.data.up) for tick in axis.ticks),
        *(figure.data.across.title, figure.data.up.title, figure.title),
        *([figure.note] if figure.note else []),
    ]
    assert sorted(texts(svg_of(figure))) == sorted(expected)


def test_several_lines_are_named_and_differ_without_color():
    lines = {"loss": [(1, 4.0), (2, 3.0), (3, 2.0)], "held_out": [(2, 5.0), (3, 2.5)]}
    figure = curve("Both", lines, across="step", up="loss", names={"held_out": "held <out>"})
    root = svg_of(figure)
    assert texts(root).count("held <out>") == 1
    assert len(marks(root, "line")) == 2
    groups = [node for node in root.iter(f"{NAME}g") if "mark-line" in node.get("class", "")]
    dashes = {path.get("stroke-dasharray") for node in groups for path in node.iter(f"{NAME}path")}
    assert len(dashes) == 2


def test_svg_has_a_description_and_no_link_to_a_network():
    figure = loss_of(HISTORIES["few"])
    root = svg_of(figure)
    assert root[0].tag == f"{NAME}desc"
    assert root[0].text == figure.alternative
    text = picture(figure, "svg").decode()
    assert set(re.findall(r"https?://[^\s\"]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert set(re.findall(r'font-family="([^"]*)"', text)) == {"sans-serif"}


def test_a_png_is_as_large_as_its_svg_says():
    figure = loss_of(HISTORIES["few"])
    content = picture(figure, "png")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    root = svg_of(figure)
    assert struct.unpack(">II", content[16:24]) == tuple(PIXELS * float(root.get(side)) for side in ("width", "height"))
    assert picture(loss_of(HISTORIES["few"][:-1]), "png") != content


def test_pdf_has_one_page_with_text():
    content = picture(loss_of(HISTORIES["few"]), "pdf")
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) == 1
    assert b"/BaseFont" in content


def test_the_same_figure_gives_the_same_picture():
    assert KINDS == ("svg", "png", "pdf")
    for kind in ("svg", "png"):
        assert picture(loss_of(HISTORIES["long"]), kind) == picture(loss_of(HISTORIES["long"]), kind)


def test_drawing_is_loaded_only_when_something_is_drawn():
    code = "import sys, workings.figures, workings.cli.main; print('vl_convert' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


@pytest.mark.parametrize("color", sorted({BAR_COLOR, *CATEGORIES}))
def test_colors_of_charts_are_visible_on_light_and_on_dark_ground(color):
    for ground in ((255, 255, 255), (22, 24, 28)):
        assert contrast(tuple(bytes.fromhex(color.removeprefix("#"))), ground) > 3  # what WCAG asks of lines and areas


def test_chart_pages_are_those_with_axes():
    assert [name for name, page in PAGES.items() if isinstance(page, ChartPage)] == ["bars", "loss", "plane"]
