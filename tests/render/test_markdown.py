"""Documents as Markdown, read again by a parser: what is a table, a formula or a name before is one after."""

import random
import re
import typing
from functools import lru_cache

import pytest
from katex_judge import complaints
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from scenario_pages import scenario_pages
from small_figures import small_bars
from small_traces import SMALL_TRACES

from workings.cli.main import main
from workings.cli.op import op_call, op_list
from workings.document import blocks as d
from workings.engine.op import OPS
from workings.explain.op_page import op_document, run_op
from workings.explain.step_formula import math_of
from workings.formula.parse import parse, to_latex
from workings.render.extra_files import ExtraFiles
from workings.render.markdown import code, math, to_markdown

PLAIN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(dollarmath_plugin)
SIGNS = "\\`*_~$<>&#+-.=|[]()!^:{}/'\"0123aAx \u00d7"
SAMPLES = [
    "W_Q and _x_ and x__y", "a * b, **c**, *d*", "`x`", "<b>bold</b> <!-- no --> a < b > c", "&amp; &#42; &",
    "1. one", "2) two", "12.5 is a number", "- dash", "+ plus", "* star", "# hash", "#5", "> quoted", "===", "---",
    "=== under", "--- rule", "[a](b) and ![i](j)", "[a]: b", "P[0][1], [x > 0], [^1]", "\\* and \\", "$5 and $6",
    "~~gone~~ ~", "a | b", "http://x.y", "-0.5", "1986\\. A year",
]  # fmt: skip


def rendered(*blocks):
    text = to_markdown(d.Document("t", blocks))
    assert text.startswith("# t\n\n")
    return text.removeprefix("# t\n\n")


def tokens(text, reader=READER):
    return reader.parse(text)


def types(text):
    return [token.type for token in tokens(text) if not token.type.endswith("close")]


def words(text):
    return d.Text((d.Words(text),))


def content(inline):
    """What a reader sees of a line of text; nothing in it may be set in another way, but for a name between `."""
    kinds = {child.type for child in inline.children}
    assert kinds <= {"text", "text_special", "softbreak", "code_inline"}, (kinds, inline.content)
    shown = {"softbreak": "\n{0}", "code_inline": "`{0}`"}
    assert all(
        child.content.isidentifier() or child.content.isalnum() for child in inline.children if child.tag == "code"
    )
    return "".join(shown.get(child.type, "{0}").format(child.content) for child in inline.children)


@lru_cache
def documents():
    found = {name: make("float64").document(name) for name, make in SMALL_TRACES.items()} | scenario_pages()
    found["ops"] = op_list()
    for name in OPS:
        call = op_call(name, [])
        found[f"op {name}"] = op_document(run_op(call.op, call.inputs, call.settings, call.cotangent))
    return found


# -- each kind of block ------------------------------------------------------------------------


def number(text, *index):
    return d.Number(text, float(text), "1", index)


MATRIX = d.Matrix(
    "M", "1", ("query", "key"), (2, 2),
    (d.MatrixSlice((), ((number("1.0"), number("-12.25")), (number("-0.125"), number("3.5")))),),
)  # fmt: skip
LINE = d.DerivedLine(
    (d.Words("y[0]"),),
    ((d.Words("a[0] × b"),), (number("2.0"), d.Words(" × "), number("3.0"))),
    number("6.0"),
)
BLOCKS = {
    "heading": (d.Heading(2, "Vor"), "## Vor\n"),
    "text": (
        d.Text((d.Link("W_Q", "1"), d.Words(" is "), number("2.0"), d.Words(" or "), math_of(r"x \, y"))),
        "`W_Q` is 2.0 or $x \\thinspace y$\n",
    ),
    "formula": (
        d.Formula(math_of(r"y = a \, b_i"), "one entry"),
        "$$\ny = a \\thinspace b_i\n$$\n\n*one entry*\n",
    ),
    "matrix": (MATRIX, "```text\nM  query 2 × key 2\n[  1.0    -12.25 ]\n[ -0.125    3.5  ]\n```\n"),
    "derivation": (
        d.Derivation("1", (0,), (LINE,), "More is left out."),
        "```text\ny[0] = a[0] × b = 2.0 × 3.0 = 6.0\n```\n\nMore is left out.\n",
    ),
    "figure": (
        d.Figure("bars", "Shares", small_bars("cat"), "in words", "one bar"),
        f"```text\nShares\ncat │{'█' * 29}▎          0.75\n```\n\none bar\n",
    ),
    "image": (
        d.Image("data:image/png;base64,AAAA", "a *cat*", (d.Words("asleep"),)),
        "*[picture: a \\*cat\\*]*\n\nasleep\n",
    ),
    "ledger": (
        d.Ledger(
            ("step", "op", "shape"),
            (
                d.LedgerRow("1", "W_Q", "parameter", ("model", "key"), (2, 3)),
                d.LedgerRow("2", "y", "add", ("", ""), (4, 3), "b is repeated"),
                d.LedgerRow("3", "L", "sum", (), ()),
            ),
        ),
        "| step  | op        | shape |\n| ----- | --------- | --- |\n| `W_Q` | parameter | model 2 × key 3 |\n"
        "| `y`   | add       | 4 × 3 (b is repeated) |\n| `L`   | sum       | 1 |\n",
    ),
    "table": (
        d.Table(("n", "what"), (((number("1.5"),), (d.Words("a|b"),)), ((number("10.5"),), (math_of("|x|"),)))),
        "| n    | what |\n| ---: | --- |\n| 1.5  | a\\|b |\n| 10.5 | $\\vert x\\vert$ |\n",
    ),
    "items": (
        d.Items(((words("one"), d.Program("text", "x")), (d.Text((d.Words("two", "strong"),)),)), counted=True),
        "1. one\n\n   ```text\n   x\n   ```\n2. **two**\n",
    ),
    "fold": (d.Fold("More *here*", (words("inside"),)), "**More \\*here\\***\n\ninside\n"),
    "question": (
        d.Question((d.Words("What is y?"),), (words("It is 6."), d.Derivation("1", (0,), (LINE,))), "Try", "Answer"),
        "**Try**\n\nWhat is y?\n\n*Answer*\n\n> It is 6.\n\n> ```text\n> y[0] = a[0] × b = 2.0 × 3.0 = 6.0\n> ```\n",
    ),
    "answers": (
        d.Answers((d.AnswerField("1", (0,), "y[0]", 3),), ("entry", "question", "answer")),
        "| entry  | answer |\n| ------ | --- |\n| `y[0]` |  |\n",
    ),
    "note": (d.Note("mistake", (d.Words("- wrong"),)), "> \\- wrong\n"),
    "program": (d.Program("python", "x = 1\n"), "```python\nx = 1\n```\n"),
    "terms": (d.Terms((d.Term("softmax", (d.Reference("Scaling", lesson="a", anchor="s"), d.Reference("Shares"))),)),
              "- softmax: [Scaling](a.md#s), Shares\n"),
}  # fmt: skip


def test_every_kind_of_block_is_there():
    assert set(BLOCKS) == {kind.__dataclass_fields__["kind"].default for kind in typing.get_args(d.Block)}


@pytest.mark.parametrize("kind", BLOCKS)
def test_block_has_exactly_this_markdown(kind):
    block, expected = BLOCKS[kind]
    assert rendered(block) == expected


def test_all_blocks_side_by_side_stay_apart():
    text = to_markdown(d.Document("t", tuple(block for block, _ in BLOCKS.values())))
    assert text == "# t\n\n" + "\n".join(expected for _, expected in BLOCKS.values())
    found = types(text)
    counts = {
        "table_open": 3,
        "fence": 6,
        "ordered_list_open": 1,
        "math_block": 1,
        "blockquote_open": 3,
        "heading_open": 2,
    }
    assert {kind: found.count(kind) for kind in counts} == counts


def test_a_tensor_is_shown_matrix_by_matrix_with_its_labels():
    rows = ((number("1.0"), number("0.25")), (number("0.5"), number("2.0")))
    slices = tuple(d.MatrixSlice((n,), rows, ("A", "the"), ("A", "cat sat")) for n in range(2))
    block = d.Matrix("M", "1", ("head", "query", "key"), (2, 2, 2), slices, "The corner of it.")
    one = "\n        A  cat sat\nA   [ 1.0     0.25 ]\nthe [ 0.5     2.0  ]\n"
    expected = f"```text\nM  head 2 × query 2 × key 2\nhead[0]{one}head[1]{one}```\n\nThe corner of it.\n"
    assert rendered(block) == expected


def test_single_number_has_no_brackets():
    block = d.Matrix("loss", "1", (), (), (d.MatrixSlice((), ((number("0.5"),),)),))
    assert rendered(block) == "```text\nloss\n0.5\n```\n"


def test_monospaced_blocks_keep_to_their_width():
    long = d.DerivedLine((d.Words("y"),), ((d.Words(" + ".join(f"a[{n}]" for n in range(40))),),), number("1.0"))
    lines = rendered(d.Derivation("1", (), (long,))).splitlines()
    assert len(lines) > 4
    assert max(map(len, lines)) <= 88


def test_a_program_may_contain_a_fence():
    (fence,) = tokens(rendered(d.Program("md", "```\nx\n```")))
    assert (fence.type, fence.info, fence.content) == ("fence", "md", "```\nx\n```\n")


@pytest.mark.parametrize(("levels", "expected"), [((1, 2, 3), "234"), ((2, 3), "23"), ((3, 4), "23"), ((2, 9), "26")])
def test_headings_come_below_the_title(levels, expected):
    text = to_markdown(d.Document("t", tuple(d.Heading(level, "h") for level in levels)))
    found = [token.tag for token in tokens(text) if token.type == "heading_open"]
    assert found == ["h1", *(f"h{level}" for level in expected)]


# -- words are words -------------------------------------------------------------------------------


def nasty_texts():
    choice = random.Random(7)
    made = ["".join(choice.choices(SIGNS, k=choice.randrange(1, 14))) for _ in range(3000)]
    return [*SAMPLES, *(" ".join(text.split()) for text in made if text.strip())]


def test_markdown_reader_finds_the_words_of_a_paragraph():
    for text in nasty_texts():
        opened, inline, _ = tokens(rendered(words(text)))
        assert (opened.type, content(inline)) == ("paragraph_open", text)


def test_several_lines_stay_one_paragraph():
    opened, inline, _ = tokens(rendered(words("\n".join(["first", *SAMPLES]))))
    assert (opened.type, content(inline)) == ("paragraph_open", "\n".join(["first", *SAMPLES]))


def test_markdown_reader_finds_the_words_of_notes_headings_and_cells():
    for text in nasty_texts():
        quote, _, inline, *_ = tokens(rendered(d.Note("hint", (d.Words(text),))))
        assert (quote.type, content(inline)) == ("blockquote_open", text)
        opened, inline, _ = tokens(rendered(d.Heading(2, text)))
        assert (opened.tag, content(inline)) == ("h2", text)
        cells = [token for token in tokens(rendered(two_by_two(text))) if token.type == "inline"]
        assert [content(cell) for cell in cells] == [text, "b", text, text]
        _, inline, _ = tokens(rendered(d.Formula(math_of("x"), text)))[1:]
        assert [child.type for child in (inline.children[0], inline.children[-1])] == ["em_open", "em_close"]


def two_by_two(text):
    return d.Table((text, "b"), (((d.Words(text),), (d.Words(text),)),))


def test_names_keep_every_sign():
    for text in nasty_texts():
        (inline,) = [token for token in tokens(f"see {code(text)}!") if token.type == "inline"]
        assert [child.content for child in inline.children] == ["see ", text, "!"]
        table = d.Table(("a",), (((d.Link(text.replace("\\", "/"), "1"),),),))
        cells = [token for token in tokens(rendered(table)) if token.type == "inline"]
        assert [child.content for child in cells[1].children] == [text.replace("\\", "/")]


def test_harmless_signs_are_left_alone():
    text = "W_Q, P[0][1] = 0.5 - 3 < 4 & 2 > 1 (a + b) = c! It is x.y: #5"
    assert rendered(words(text)) == f"{text}\n"


# -- formulas --------------------------------------------------------------------------------------

ODD = [
    r"i \in \{1, \dots, n\}, \; \left\{ a \right\}",
    r"\left\| g \right\| \le 1, \quad |x| \ge \| y \|",
    r"y = \begin{cases} x & \text{if } x > 0 \\ 0 & x < 0 \end{cases}",
    r"A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}^\top",
    r"\hat{x}_{ij} + \bar{y}_i = [k = j](a_i)_j \, \left( b \right)_i",
    r"-x_i + \sum_{i<n>j} s_m",
    r"= y",
]


def formulas():
    found = [block.math.latex for page in documents().values() for block in page.blocks if block.kind == "formula"]
    return sorted({*found, *(to_latex(parse(latex)) for latex in ODD)})


def test_katex_sets_the_markdown_like_the_formula():
    # A name with an underscore is set as text, which has another box but looks the same.
    pairs = [[latex, math(latex)] for latex in formulas() if r"\_" not in latex]
    assert not [pair for pair, error in zip(pairs, complaints(pairs), strict=True) if error]
    named = [math(latex) for latex in formulas() if r"\_" in latex]
    assert len(named) > 10
    assert not [latex for latex, error in zip(named, complaints(named), strict=True) if error]


def test_a_name_with_an_underscore_is_text_with_and_without_its_backslash():
    assert (
        math(r"\mathrm{dW\_a\_b}_i \mathrm{W\_K^\top} \mathrm{ab}")
        == r"\text{dW\_a\_b}_ i {\text{W\_K}^\top} \mathrm{ab}"
    )


def test_a_reader_without_formulas_changes_none_of_their_signs():
    """GitHub reads Markdown first: there a formula is a text like any other."""
    for latex in formulas():
        for text in (rendered(d.Formula(d.Math(latex, "", "", ""))).strip(), f"see ${math(latex)}$ there"):
            opened, inline, _ = tokens(text, PLAIN)
            assert (opened.type, content(inline)) == ("paragraph_open", text.replace(r"\_", "_"))
            assert not set("<>|") & set(text)


def test_formulas_in_lines_and_tables_are_found_again():
    for latex in formulas():
        span = d.Math(latex, "", "", "")
        (inline,) = [token for token in tokens(rendered(d.Text((d.Words("see "), span)))) if token.type == "inline"]
        assert [(child.type, child.content) for child in inline.children][1] == ("math_inline", math(latex))
        row = (((span,), (d.Words("b"),)),)
        cells = [token for token in tokens(rendered(d.Table(("a", "b"), row))) if token.type == "inline"]
        assert [child.content for child in cells[2].children] == [math(latex)]


# -- whole documents -------------------------------------------------------------------------------


def test_every_document_is_read_again_block_by_block():
    for name, document in documents().items():
        text = to_markdown(document)
        found = types(text)
        kinds = [block.kind for block in document.blocks]
        assert found.count("fence") == sum(kinds.count(kind) for kind in ("matrix", "derivation", "figure")), name
        assert found.count("math_block") == kinds.count("formula"), name
        assert found.count("table_open") == kinds.count("table") + kinds.count("ledger"), name
        assert found.count("blockquote_open") == kinds.count("note"), name
        assert found.count("heading_open") == kinds.count("heading") + 1, name
        assert not {"html_block", "html_inline", "bullet_list_open", "ordered_list_open", "code_block", "hr"} & set(
            found
        )


@pytest.mark.parametrize("name", ["attention-backward", "block", "cat-sleeps"])
def test_the_formulas_of_a_whole_trace_are_accepted_by_katex(name):
    text = to_markdown(documents()[name])
    found = [token.content.strip() for token in tokens(text) if token.type == "math_block"]
    assert len(found) > 20
    assert complaints(found) == [None] * len(found)


@pytest.mark.parametrize("name", ["attention-backward", "block", "cat-sleeps"])
def test_every_number_of_a_whole_trace_is_there(name):
    document = documents()[name]
    text = to_markdown(document)
    for block in document.blocks:
        if isinstance(block, d.Matrix):
            row = re.compile(r"\s+".join(re.escape(number.text) for number in block.slices[0].rows[0]))
            assert row.search(text)
        if isinstance(block, d.Derivation):
            assert all(f"= {line.value.text}\n" in text for line in block.lines)


def test_pages_are_tidy():
    for document in documents().values():
        text = to_markdown(document)
        assert all(line == line.rstrip() for line in text.splitlines())
        assert "\n\n\n" not in text
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_an_encoding_without_the_signs_gets_ascii():
    for document in documents().values():
        text = to_markdown(document, "ascii")
        assert text.isascii()
        assert types(text) == types(to_markdown(document))


# -- the command -----------------------------------------------------------------------------------


def test_a_command_prints_markdown(capsys):
    assert main(["op", "softmax", "--format", "md"]) == 0
    assert capsys.readouterr().out == to_markdown(documents()["op softmax"])


def test_a_command_writes_markdown(tmp_path, capsys):
    path = tmp_path / "trace.md"
    assert main(["trace", "example-3", "--run", "after", "--format", "md", "-o", str(path)]) == 0
    extra = ExtraFiles("trace-files", "svg")
    assert path.read_text(encoding="utf-8") == to_markdown(documents()["trained"], extra=extra)
    assert {file.name: file.read_bytes() for file in (tmp_path / "trace-files").iterdir()} == extra.files
    assert extra.files
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("language", "written"),
    [("python", "python"), ("c++", "c++"), ("a`b", "a"), ("py title=`x`", "py"), ("```", ""), ("x\ny", "x")],
)
def test_a_language_cannot_undo_the_fence_of_a_program(language, written):
    text = to_markdown(d.Document("x", (d.Program(language, "y = 1\n"),)))
    assert text.endswith(f"\n\n```{written}\ny = 1\n```\n")
