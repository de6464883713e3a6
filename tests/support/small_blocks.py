"""One block of every kind, and blocks full of markup that no page may carry out."""

import base64

from workings.document import blocks as d
from workings.explain.step_formula import math_of
from workings.figures.loss import Lines, LineSeries, Point
from workings.figures.parts.axes import Axis, Tick

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> & \"double\" 'single' ]]> <!-- "


def words(text, look="plain"):
    return d.Text((d.Words(text, look),))


def number(text, *index, role="entry"):
    return d.Number(text, float(text), "7", index, role)


MATRIX = d.Matrix(
    "M", "7", ("query", "key"), (2, 2),
    (d.MatrixSlice((), ((number("1.0", 0, 0), number("-12.25", 0, 1)), (number("0.125", 1, 0), number("3.5", 1, 1)))),),
)  # fmt: skip
LINE = d.DerivedLine(
    (d.Words("y[0]"),),
    ((d.Words("a[0] × b"),), (number("2.0", 0, role="line"), d.Words(" × "), number("3.0", 0, role="line"))),
    number("6.0", 0),
)
AXIS = Axis("step", 1.0, 2.0, (Tick(1.0, "1"), Tick(2.0, "2")))
CURVE = Lines(AXIS, AXIS, (LineSeries("loss", "loss", (Point(1, 1, 1, 1, 0, 0), Point(2, 2, 2, 2, 1, 1))),))
FIGURE = d.Figure("lines", "Loss", CURVE, "It rises from 1 to 2.", "Every step is drawn.")
BAR = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>'
PICTURE = d.Image(f"data:image/svg+xml;base64,{base64.b64encode(BAR).decode()}", "A black bar", (d.Words("See it."),))
BLOCKS = {
    "heading": d.Heading(2, "Forward"),
    "text": d.Text((d.Link("W_Q", "9"), d.Words(" is "), number("2.0", 1, 0), d.Words(" or "), math_of(r"x \, y"))),
    "formula": d.Formula(math_of(r"y = a \, b_i"), "one entry"),
    "matrix": MATRIX,
    "derivation": d.Derivation("7", (0,), (LINE,), "More is left out."),
    "figure": FIGURE,
    "image": PICTURE,
    "ledger": d.Ledger(
        ("step", "op", "shape"),
        (d.LedgerRow("7", "M", "add", ("", ""), (4, 3), "b is repeated"), d.LedgerRow("9", "L", "sum", (), ())),
    ),
    "table": d.Table(("n", "what"), (((number("1.5", 0),), (d.Words("a|b"),)),), "Some"),
    "items": d.Items(((words("one"), d.Program("text", "x")), (words("two", "strong"),)), counted=True),
    "fold": d.Fold("More", (words("inside"),)),
    "question": d.Question((d.Words("What is y?"),), (words("It is 6."),), "Try"),
    "answers": d.Answers((d.AnswerField("7", (0, 1), "y[0][1]", 3),), ("entry", "question", "answer")),
    "note": d.Note("mistake", (d.Words("wrong"),), "softmax.wrong_axis"),
    "program": d.Program("python", "if x < 1:\n    pass\n", "A program"),
    "terms": d.Terms((d.Term("softmax", (d.Reference("Scaling", anchor="scaling"), d.Reference("Shares"))),)),
}  # fmt: skip


def hostile_blocks():
    text, value = HOSTILE, d.Number(HOSTILE, 1.0, HOSTILE, (0,), "mistake", HOSTILE)
    math = d.Math(text, text, text, text)
    spans = (d.Words(text), d.Words(text, "code"), value, math, d.Link(text, text), d.Reference(text, text))
    part = d.MatrixSlice((0,), ((value,),), (text,), (text,))
    return (
        d.Heading(2, text, text), d.Text(spans), d.Formula(math, text), d.Image(PICTURE.source, text, spans),
        d.Matrix(text, text, (text, text, text), (1, 1, 1), (part,), text),
        d.Derivation(text, (0,), (d.DerivedLine(spans, (spans,), value),), text),
        d.Figure("lines", text, CURVE, text, text),
        d.Ledger((text,) * 3, (d.LedgerRow(text, text, text, (text,), (1,), text),)),
        d.Table((text,), ((spans,),), text), d.Items(((d.Text(spans),),)), d.Fold(text, (d.Text(spans),)),
        d.Question(spans, (d.Text(spans),), text),
        d.Answers((d.AnswerField(text, (0,), text, 3, text, (text,)),), (text,) * 3),
        d.Note("warning", spans, text), d.Program("python", text, text), d.Program(text, text, text),
        d.Terms((d.Term(text, (d.Reference(text, anchor=text), d.Reference(text, text, anchor=text))),)),
    )  # fmt: skip
