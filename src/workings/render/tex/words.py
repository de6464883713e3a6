"""Texts in LaTeX: every command sign is escaped, and signs that pdflatex lacks are spelled with those it has."""

from __future__ import annotations

import re
import unicodedata

from ...document.monospace import in_signs_of

ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip
# Signs of texts and of formulas.
SIGNS = {
    "×": r"\times", "·": r"\cdot", "−": "-", "√": r"\surd", "Σ": r"\Sigma", "∑": r"\sum", "∏": r"\prod", "ᵀ": r"^\top",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "∞": r"\infty", "→": r"\to", "←": r"\leftarrow",
    "↑": r"\uparrow", "↓": r"\downarrow", "∂": r"\partial", "∇": r"\nabla", "∈": r"\in", "⊙": r"\odot", "±": r"\pm",
    "²": "^2", "³": "^3", "½": r"\tfrac{1}{2}", "⇒": r"\Rightarrow", "ℓ": r"\ell", "π": r"\pi", "¬": r"\neg",
    "°": r"^\circ", "′": "'", "⟨": r"\langle", "⟩": r"\rangle",
}  # fmt: skip
AS_THEY_ARE = "–—‘’“”…"  # which LaTeX has
BEYOND = "Ħħ"  # which are in no font of its own
SPACE = {"␣": r"\textvisiblespace{}"}
BOX = {"☐": r"\fbox{\rule{0.6em}{0pt}\rule{0pt}{0.6em}}"}  # to tick
LATIN = 0x17F  # the last letter of the alphabets that pdflatex has without a package
COMMANDS = ESCAPED | SPACE | BOX
_JOINED = re.compile(r"([-',`])(?=\1)|[!?](?=`)")  # signs that TeX joins to one, such as two hyphens
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_NAMED = re.compile(r"`([^`]+)`")
_GREEK = {"GREEK SMALL LETTER ": str.lower, "GREEK CAPITAL LETTER ": str.capitalize}


def escaped(text: str) -> str:
    r"""A text in which LaTeX finds no command.

    >>> print(escaped("50 % of W_Q × α"))
    50 \% of W\_Q \ensuremath{\times} \ensuremath{\alpha}
    """
    return _JOINED.sub(r"\g<0>{}", "".join(_escaped(sign) for sign in text))


def _escaped(sign: str) -> str:
    if sign in COMMANDS:
        return COMMANDS[sign]
    if sign < "\x7f" or sign in AS_THEY_ARE:
        return sign if sign >= " " or sign == "\n" else " "
    if command := in_formula(sign):
        return rf"\ensuremath{{{command}}}"
    if ord(sign) <= LATIN and sign.isalpha():
        return sign
    return "".join(ESCAPED.get(one, one) for one in in_plain_signs(sign))


def in_plain_signs(text: str) -> str:
    """The text in ASCII, except for signs without such a form: `in_latin` reports those.

    >>> in_plain_signs("Q × Kᵀ 日")
    'Q * K^T 日'
    """
    return "".join(sign if "?" in (plain := in_signs_of("ascii", sign)) else plain for sign in text)


def in_latin(text: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file, with a question mark for each sign that pdflatex lacks; and these signs.

    >>> in_latin("größe 日本 – 日")
    ('größe ?? – ?', ('日', '本'))
    """
    text = _CONTROL.sub(" ", text)
    lacking = tuple(dict.fromkeys(sign for sign in text if not _has(sign)))
    return text.translate({ord(sign): "?" for sign in lacking}), lacking


def _has(sign: str) -> bool:
    return (ord(sign) <= LATIN and sign not in BEYOND) or sign in AS_THEY_ARE


def in_formula(sign: str) -> str:
    """The command of a sign that is no ASCII, or nothing."""
    if sign in SIGNS:
        return SIGNS[sign]
    name = unicodedata.name(sign, "")
    for before, spelled in _GREEK.items():
        rest = name.removeprefix(before)
        if rest != name and rest.isalpha() and rest != "OMICRON":
            return "\\" + spelled(rest.replace("LAMDA", "LAMBDA"))
    return ""


def words(text: str) -> str:
    r"""A text, in which a name between two ticks is marked as such.

    >>> print(words("`keep` & a ` alone"))
    \texttt{keep} \& a ` alone
    """
    pieces = _NAMED.split(text)
    return "".join(code(piece) if n % 2 else escaped(piece) for n, piece in enumerate(pieces))


def code(text: str) -> str:
    r"""A name or a command, with every sign taken literally.

    >>> print(code("--run twin"))
    \texttt{-{}-run twin}
    """
    return rf"\texttt{{{escaped(text)}}}"


def verbatim(text: str) -> str:
    r"""Monospaced text, word for word, in signs that every LaTeX has.

    >>> print(verbatim("a × b"))
    \begin{verbatim}
    a * b
    \end{verbatim}
    """
    plain = in_plain_signs(text.expandtabs(4)).replace("\\end{verbatim}", "\\end {verbatim}")
    return f"\\begin{{verbatim}}\n{plain}\n\\end{{verbatim}}"


def formula(latex: str) -> str:
    r"""The LaTeX of a document, in which Greek letters and signs may be Unicode.

    >>> print(formula(r"\mathrm{dα} \to 2"))
    \mathrm{d\alpha{}} \to 2
    """
    return "".join(sign if sign < "\x7f" else _plain(sign) for sign in latex)


def _plain(sign: str) -> str:
    command = in_formula(sign)
    return f"{command}{{}}" if command else rf"\text{{{_escaped(sign)}}}"
