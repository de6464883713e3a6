"""A PDF read again by another program, pypdf: its texts, and the tree of what they are."""

from __future__ import annotations

import io
import re
import subprocess

import pypdf

MILLIMETER = 72 / 25.4
MARGIN = 25 * MILLIMETER


def reader_of(pdf):
    return pypdf.PdfReader(io.BytesIO(pdf))


def text_of(pdf):
    return "\n".join(page.extract_text() for page in reader_of(pdf).pages)


def text_as_laid_out(pdf):
    """All pages, with what is on one line in one line."""
    command = ["pdftotext", "-layout", "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()


def pages_of(pdf):
    """The text of each page, as pdftotext reads it: many times faster than pypdf, and with the spaces of formulas."""
    read = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    return read.split("\f")[:-1]


def elements(pdf):
    """Each element of the structure tree: what it is, and the words that stand for it."""
    waiting = [reader_of(pdf).trailer["/Root"]["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop().get_object()
        if isinstance(node, list):
            waiting += reversed(node)
        elif isinstance(node, dict):
            if "/S" in node:
                yield str(node["/S"]), str(node.get("/Alt", ""))
            if "/K" in node:
                waiting.append(node["/K"])


def outside(pdf, tmp_path):
    """The words that stand outside of the margins, as pdftotext finds them."""
    path = tmp_path / "page.pdf"
    path.write_bytes(pdf)
    listed = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        sizes = re.search(r'<page width="([\d.]+)" height="([\d.]+)"', line)
        if sizes:
            width, height = float(sizes[1]), float(sizes[2])
        word = re.search(r'xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*)</word>', line)
        if word:
            left, top, right, bottom = (float(word[n]) for n in range(1, 5))
            if left < MARGIN - 2 or right > width - MARGIN + 2 or top < 20 or bottom > height - 20:
                found.append(word[5])
    return found
