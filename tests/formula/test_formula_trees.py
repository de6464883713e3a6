"""Random trees come back from their LaTeX, and no writer drops a symbol of a tree or of a page."""

import dataclasses
import re
import unicodedata
from collections import Counter
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from loops import for_each
from page_formulas import SAMPLES, page_formulas

import workings as w
from workings import ops
from workings.engine.op import OPS
from workings.explain import step_formula
from workings.formula import tree
from workings.formula.parse import parse, to_ascii, to_latex, to_speech, to_unicode
from workings.formula.speech import SPOKEN, WORDS_IN_D
from workings.formula.tree import along_columns, for_ranks, in_greek, renamed

FORMULAS = [*page_formulas(), *SAMPLES]

# Random trees

BARE = ("binary", "relation", "comma", "dots", "space")
SIGNS = {kind: [tree.Symbol(c) for c, sign in tree.SIGNS.items() if sign.kind == kind and c != "|"] for kind in (
    "letter", "dots", "prefix", "big", "function", "binary", "relation", "comma",
)}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
FENCES = st.sampled_from([("(", ")"), ("[", "]"), ("[", ")"), (r"\{", r"\}")])


def names(index: bool) -> st.SearchStrategy[tree.Name]:
    words = st.sampled_from(["ids", "target", "dx", "Q", "pos"]) if index else st.text(LETTERS, min_size=2, max_size=5)
    return st.builds(tree.Name, st.sampled_from(LETTERS) | words)


def some(part: st.SearchStrategy) -> st.SearchStrategy[tuple]:
    return st.lists(part, min_size=1, max_size=2).map(tuple)


@cache
def plain_items(index: bool) -> st.SearchStrategy[tree.Item]:
    return st.one_of(
        names(index),
        st.builds(tree.Numeral, st.sampled_from(["0", "2", "10", "0.5"])),
        st.sampled_from([symbol for symbols in SIGNS.values() for symbol in symbols]),
        st.builds(tree.TextCommand, st.sampled_from(tree.TEXT_COMMANDS), st.sampled_from(["loss", "d2"])),
        st.builds(tree.TextCommand, st.just(r"\text"), st.sampled_from(["if ", " a, b", "head_size"])),
        st.builds(tree.Accent, st.sampled_from(tree.ACCENTS), names(False) | st.sampled_from(SIGNS["letter"])),
        st.builds(tree.Space, st.sampled_from([*tree.THIN, *tree.WIDE])),
    )


@cache
def items(depth: int, index: bool) -> st.SearchStrategy[tree.Item]:
    if depth == 0:
        return plain_items(index)
    part, below = parts(depth - 1, index), parts(depth - 1, True)
    base = st.one_of(
        plain_items(index),
        st.builds(tree.Fraction, part, part),
        st.builds(tree.Root, part),
        st.builds(lambda pair, body, grows: tree.Fence(pair[0], body, pair[1], grows), FENCES, part, st.booleans()),
        st.builds(lambda bar, body: tree.Fence(bar, body, bar, grows=True), st.sampled_from(tree.BARS), part),
        st.builds(tree.Environment, st.sampled_from(tree.ENVIRONMENTS), some(some(part))),
    )
    return st.builds(scripted, base, st.none() | below, st.none() | part, st.sampled_from([0, 0, 1, 2]))


def scripted(base: tree.Item, sub: tree.FormulaTree | None, sup: tree.FormulaTree | None, primes: int) -> tree.Item:
    """The base with these scripts, or without them where it takes none."""
    cases = isinstance(base, tree.Environment) and base.kind == "cases"
    if cases or isinstance(base, tree.Fraction) or base == tree.Symbol(r"\neg") or tree.kind(base) in BARE:
        return base
    return tree.Script(base, sub, sup, primes) if sub or sup or primes else base


@cache
def formulas(depth: int, index: bool) -> st.SearchStrategy[tree.FormulaTree]:
    row = st.lists(st.tuples(items(depth, index), st.booleans()), min_size=1, max_size=4)
    return row.map(formula_of).filter(lambda formula: not all(isinstance(i, tree.Space) for i in formula.items))


@st.composite
def parts(draw, depth: int, index: bool) -> tree.FormulaTree:
    """The same under a short name: Hypothesis would spell out the whole grammar."""
    return draw(formulas(depth, index))


def formula_of(row: list[tuple[tree.Item, bool]]) -> tree.FormulaTree:
    """A row in which a parenthesis may be the argument of the name before it."""
    done: list[tree.Item] = []
    for item, call in row:
        base = item.base if isinstance(item, tree.Script) else item
        if call and done and isinstance(base, tree.Fence) and base.left == "(" and tree.may_call(done[-1]):
            base = dataclasses.replace(base, call=True)
            item = dataclasses.replace(item, base=base) if isinstance(item, tree.Script) else base
        done.append(item)
    return tree.FormulaTree(tuple(done))


@settings(deadline=None, max_examples=200)
@given(parts(2, False))
def test_any_tree_survives_writing_and_parsing(formula):
    assert parse(to_latex(formula)) == formula
    assert to_ascii(formula).isascii()
    assert not dropped(formula)


# Nothing is dropped


def leaves(node: object) -> list[tree.Item]:
    """Every leaf of a tree, found without any writer."""
    if isinstance(node, tree.Numeral | tree.Name | tree.Symbol | tree.TextCommand):
        return [node]
    if isinstance(node, tuple):
        return [leaf for part in node for leaf in leaves(part)]
    if dataclasses.is_dataclass(node):
        return [leaf for field in dataclasses.fields(node) for leaf in leaves(getattr(node, field.name))]
    return []


def signs(text: str) -> Counter[str]:
    """Its signs, with small letters made large again."""
    return Counter(unicodedata.normalize("NFKD", text).replace("⊤", "T").replace(" ", ""))


def dropped(formula: tree.FormulaTree, unicode: str | None = None) -> list[str]:
    """What each writer left out of this formula, counted leaf by leaf."""
    missing = []
    texts = {"unicode": to_unicode(formula) if unicode is None else unicode, "ascii": to_ascii(formula)}
    for target, text in texts.items():
        wanted: Counter[str] = Counter()
        for leaf in leaves(formula):
            match leaf:
                case tree.Symbol(command):
                    wanted += signs(getattr(tree.SIGNS[command], target))
                case tree.Numeral(part) | tree.Name(part) | tree.TextCommand(_, part):
                    wanted += signs(part)
        missing += [f"{target}: {sign}" for sign in wanted - signs(text)]
    return missing + dropped_words(formula, to_speech(formula))


def dropped_words(formula: tree.FormulaTree, speech: str) -> list[str]:
    """What the speech left out, word by word."""
    for phrase, word in (("squared", "2"), ("cubed", "3"), ("transposed", "top")):
        speech = speech.replace(phrase, word)
    wanted: Counter[str] = Counter()
    for leaf in leaves(formula):
        match leaf:
            case tree.Symbol(command):
                wanted.update(re.findall(r"\w+", SPOKEN[command]))
            case tree.Name(part) if len(part) > 1 and part[0] == "d" and part not in WORDS_IN_D:
                wanted.update(["d", part[1:]])
            case tree.Numeral(part) | tree.Name(part) | tree.TextCommand(_, part):
                wanted.update(re.findall(r"[^\W_]+", part))
    commas = leaves(formula).count(tree.Symbol(",")) - speech.count(",") - speech.count("comma")
    return [f"speech: {word}" for word in wanted - Counter(re.findall(r"[^\W_]+", speech))] + ["speech: ,"] * commas


def source_signs(latex: str) -> Counter[str]:
    """The signs of the source itself, found without the parser: commands as their Unicode sign."""
    accents = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
    latex = re.sub(r"\\(begin|end)\{\w+\}|\\(left|right|frac|quad|qquad|text|mathrm|operatorname)\b|\\[,;]", " ", latex)
    latex = re.sub(r"\\(hat|bar|tilde)\b", lambda found: accents[found[1]], latex)
    latex = latex.replace(r"\sqrt", "√").replace(r"\|", "‖").replace("'", "′")
    latex = re.sub(r"\\[A-Za-z]+", lambda found: tree.SIGNS[found[0]].unicode, latex).replace("-", "−")
    return significant(latex)


def significant(text: str) -> Counter[str]:
    """Everything but the signs that only place others."""
    return Counter({sign: count for sign, count in signs(text).items() if sign not in r"()[]{}/^_&\;,"})


@for_each("latex", FORMULAS)
def test_nothing_is_dropped(latex):
    formula = parse(latex)
    assert not dropped(formula)
    assert significant(to_unicode(formula)) == source_signs(latex)


def test_a_dropped_sign_would_be_noticed():
    formula = parse(r"y_{ij} = \alpha \, x^2")
    assert dropped(formula, unicode="yᵢⱼ = x²") == ["unicode: α"]
    assert dropped(formula, unicode="yᵢ = α x²") == ["unicode: j"]
    assert dropped_words(formula, "y sub i j equals alpha times x") == ["speech: 2"]
    assert source_signs(r"y_{ij} = \alpha \, x^2") != significant("yᵢⱼ = α x³")


# Pages


@for_each("latex", FORMULAS)
def test_every_page_formula_has_text_for_every_target(latex):
    formula = parse(latex)
    assert to_ascii(formula).isascii()
    for text in (to_unicode(formula), to_ascii(formula), to_speech(formula)):
        assert text == text.strip()
        assert "\\" not in text


def test_a_name_that_begins_with_d_is_a_gradient_unless_it_is_a_setting():
    for op in OPS.values():
        for leaf in leaves(parse(op.page.formula)):
            if isinstance(leaf, tree.Name) and leaf.letters in op.page.settings and leaf.letters[0] == "d":
                spoken = to_speech(tree.FormulaTree((leaf,)))
                assert spoken == leaf.letters, f"add {leaf.letters} of {op.name} to WORDS_IN_D"


def test_letters_with_fewer_axes_lose_their_first_indices():
    def text(latex, **ranks):
        return to_unicode(for_ranks(parse(latex), ranks))

    assert text(r"C_{ij} = \sum_k a_{ik} b_{kj}", C=1, a=1, b=2) == "Cⱼ = Σₖ aₖ bₖⱼ"
    assert text(r"y_i = \frac{1}{n} \sum_k x_{ik}", y=0, x=1) == "y = (1 / n) Σₖ xₖ"
    assert text(r"L = z_{t,target_t}", z=1, target=0) == "L = z_target"
    assert text(r"y_j = x_{index,j}", y=1, x=2) == "yⱼ = x_(index,j)"
    assert text(r"y_{ij} = x_{ij}^2 + x_{ij}'", x=0) == "yᵢⱼ = x² + x′"
    assert text(r"P_{2i} = P_{ij}", P=1) == "P₂ᵢ = Pⱼ"  # 2i is one index
    assert text(r"y_{ij} = x_{ij}", y=3, x=3) == "yᵢⱼ = xᵢⱼ"


def test_a_letter_that_is_0_is_neither_added_nor_taken_off():
    def text(latex, **names):
        return to_unicode(renamed(parse(latex), names))

    assert text(r"v = \frac{1}{n - correction} \sum_k c_k", correction="0") == "v = (1 / n) Σₖ cₖ"
    assert text(r"d = \frac{c}{(n - correction) \, r}", correction="0") == "d = c / (n r)"
    assert text(r"d = \frac{c}{(n - correction) \, r}", correction="1") == "d = c / ((n − 1) r)"
    assert text(r"y = past", past="0") == "y = 0"
    assert text(r"y = x - past \cdot z", past="0") == "y = x − 0 · z"
    assert text(r"y = (x + 0)", x="a") == "y = (a + 0)"  # a zero that the page itself writes stays


def test_along_columns_the_indices_change_places():
    def text(latex):
        return to_unicode(along_columns(parse(latex)))

    assert text(r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}") == "Pᵢⱼ = e^(xᵢⱼ) / Σₖ e^(xₖⱼ)"
    assert text(r"y_i = \frac{1}{n} \sum_k x_{ik}") == "yⱼ = (1 / n) Σₖ xₖⱼ"
    assert text(r"dx_{ik} = dy_i") == "dxₖⱼ = dyⱼ"


def test_only_greek_letters_become_greek():
    def text(latex):
        return to_unicode(in_greek(parse(latex)))

    assert text(r"y = gamma_j \, x_j + beta") == "y = γⱼ xⱼ + β"
    assert text(r"y = pm + ln + max + epsilon") == "y = pm + ln + max + ε"
    assert to_unicode(renamed(in_greek(parse(r"y = gamma_j")), {"gamma": "gamma2"})) == "y = gamma2ⱼ"
    assert to_unicode(renamed(in_greek(parse(r"y = gamma_j")), {"gamma": "gamma"})) == "y = γⱼ"


def test_a_page_along_another_axis_says_so_in_its_formula():
    x = w.given([[1.0, 2.0], [3.0, 5.0]], "token model", name="x")
    with w.Trace() as trace:
        ops.softmax(x, axis="token", name="P")
        ops.softmax(x, axis="model", name="R")
        ops.mean(x, axis="token", name="m")
        ops.mean(x, name="all")
        ops.take_row(x, index=1, name="row")
        ops.take_row(x, index=1, axis=-1, name="column")
    formulas = {
        step.name: step_formula.formula_of(trace.recording, step.step).math.text for step in trace if step.op != "given"
    }
    assert formulas == {
        "P": "Pᵢⱼ = e^(xᵢⱼ) / Σₖ e^(xₖⱼ)",
        "R": "Rᵢⱼ = e^(xᵢⱼ) / Σₖ e^(xᵢₖ)",
        "m": "mⱼ = (1 / n) Σₖ xₖⱼ",
        "all": "all = (1 / n) Σₚ xₚ",
        "row": "rowⱼ = x_(1,j)",
        "column": "columnᵢ = x_(i,1)",
    }
