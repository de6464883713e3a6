"""The closed LaTeX subset: what is read, how every target writes it, and what is refused."""

import pytest
from loops import for_each
from page_formulas import SAMPLES, page_formulas

from workings.engine.errors import FormulaError
from workings.formula.parse import parse, to_ascii, to_latex, to_speech, to_unicode
from workings.formula.speech import SPOKEN
from workings.formula.tree import SIGNS

FORMULAS = [*page_formulas(), *SAMPLES]

# LaTeX, Unicode, ASCII
LINES = [
    # names and subscripts
    (r"P_{ij}", "Pᵢⱼ", "P_ij"),
    (r"dx_{ij} = -dy_{ij}", "dxᵢⱼ = −dyᵢⱼ", "dx_ij = -dy_ij"),
    (r"parts_{n,ij}", "parts_(n,ij)", "parts_(n,ij)"),
    (r"x_{index,j}", "x_(index,j)", "x_(index,j)"),
    (r"E_{ids_t,j}", "E_(idsₜ,j)", "E_(ids_t,j)"),
    (r"W_Q + d_{model} + x_{qk}", "W_Q + d_model + x_qk", "W_Q + d_model + x_qk"),
    (r"x_{i-1} + x_{10}", "xᵢ₋₁ + x₁₀", "x_(i-1) + x_10"),
    (r"d_{\text{head\_size}}", "d_head_size", "d_head_size"),
    (r"x_12", "x₁ 2", "x_1 2"),
    (r"\alpha_{\beta i}", "αᵦᵢ", "alpha_(beta i)"),
    # exponents
    (r"e^{x_{ij}}", "e^(xᵢⱼ)", "e^(x_ij)"),
    (r"e^x + e^{-x}", "e^x + e^(−x)", "e^x + e^(-x)"),
    (r"x^2 + x^{-1} + x^n", "x² + x⁻¹ + xⁿ", "x^2 + x^(-1) + x^n"),
    (r"K^\top + x_i^2", "Kᵀ + xᵢ²", "K^T + x_i^2"),
    (r"W^{(1)} + W^{(t)}", "W⁽¹⁾ + W^(t)", "W^(1) + W^(t)"),
    (r"f' + f_i'^2", "f′ + fᵢ′²", "f' + f_i'^2"),
    (r"10000^{2i/d}", "10000^(2i/d)", "10000^(2i/d)"),
    # sums and functions
    (r"\sum_k dP_{ik} \, P_{ik}", "Σₖ dPᵢₖ Pᵢₖ", "sum_k dP_ik P_ik"),
    (r"\sum_{k=1}^n x_k", "Σₖ₌₁ⁿ xₖ", "sum_(k=1)^n x_k"),
    (r"\sum_{k=1}^d x_k", "Σₖ₌₁^d xₖ", "sum_(k=1)^d x_k"),
    (r"\prod_{k \in S} x_k", "∏_(k∈S) xₖ", "prod_(k in S) x_k"),
    (r"\max_k x_{ik} - \max(0, x)", "maxₖ xᵢₖ − max(0, x)", "max_k x_ik - max(0, x)"),
    (r"\ln x + \log_2 (y)", "ln x + log₂(y)", "ln x + log_2(y)"),
    (r"\operatorname{softmax}(x)_i", "softmax(x)ᵢ", "softmax(x)_i"),
    (r"\mathrm{softmax} \left( S \right) V", "softmax(S) V", "softmax(S) V"),
    # calls and products
    (r"\Phi(x) + \sigma'(x)", "Φ(x) + σ′(x)", "Phi(x) + sigma'(x)"),
    (r"s (1 - s) + P_j (1 - P_j)", "s (1 − s) + Pⱼ (1 − Pⱼ)", "s (1 - s) + P_j (1 - P_j)"),
    (r"2x + 2 \, y + 2(x + 1) + 2 \pi", "2x + 2 y + 2(x + 1) + 2π", "2x + 2 y + 2(x + 1) + 2 pi"),
    (r"factor \cdot x \times y \odot z", "factor · x × y ⊙ z", "factor * x * y .* z"),
    # roots and accents
    (r"\sqrt{d} + \sqrt{d_k} + \sqrt{2}", "√d + √dₖ + √2", "sqrt(d) + sqrt(d_k) + sqrt(2)"),
    (r"\sqrt{a + b} + \sqrt{x^2}", "√(a + b) + √(x²)", "sqrt(a + b) + sqrt(x^2)"),
    (r"\sqrt{x}^2 + \sqrt{a + b}^2", "(√x)² + (√(a + b))²", "sqrt(x)^2 + sqrt(a + b)^2"),
    (r"\hat{y} + \bar{x}_i + \tilde{dx}", "ŷ + x̄ᵢ + tilde(dx)", "hat(y) + bar(x)_i + tilde(dx)"),
    # fences and grids
    (r"[x = m] + |x| + \| g \|", "[x = m] + |x| + ‖g‖", "[x = m] + |x| + ||g||"),
    (r"P(a | b) + |a| |b|", "P(a | b) + |a| |b|", "P(a | b) + |a| |b|"),
    (r"\left[ 0, 1 \right)", "[0, 1)", "[0, 1)"),
    (r"i \in \{1, \dots, n\}", "i ∈ {1, …, n}", "i in {1, ..., n}"),
    (r"\begin{cases} x & \text{if } x > y \\ 0 & x < y \end{cases}", *["{x if x > y; 0, x < y}"] * 2),
    (r"\begin{bmatrix} a & -b \\ c & d \end{bmatrix}^\top", "[a, −b; c, d]ᵀ", "[a, -b; c, d]^T"),
    # signs
    (r"x_1 + \dots + x_n", "x₁ + … + xₙ", "x_1 + ... + x_n"),
    (r"\text{loss} - x, \text{if } -x", "loss − x, if −x", "loss - x, if -x"),
    (r"a = b, \quad -c \to \infty", "a = b,  −c → ∞", "a = b,  -c -> infinity"),
    (r"a \ne b \approx c \Rightarrow \neg d", "a ≠ b ≈ c ⇒ ¬d", "a != b ~= c => not d"),
    (r"\Delta W \pm \nabla L", "ΔW ± ∇L", "Delta W +/- grad L"),
]  # fmt: skip

# Parentheses where the meaning needs them, and nowhere else.
PARENTHESES = [
    (r"\frac{a}{b}", "a / b"),
    (r"\frac{a + b}{c}", "(a + b) / c"),
    (r"\frac{a \, b}{c}", "a b / c"),
    (r"\frac{a}{b \, c}", "a / (b c)"),
    (r"\frac{a}{b + c}", "a / (b + c)"),
    (r"\frac{-a}{b}", "−a / b"),
    (r"-\frac{a}{b}", "−a / b"),
    (r"c - \frac{-a}{b}", "c − (−a) / b"),
    (r"c \, \frac{-a}{b}", "c (−a) / b"),
    (r"\frac{a}{-b}", "a / (−b)"),
    (r"\frac{\frac{a}{b}}{\frac{c}{d}}", "(a / b) / (c / d)"),
    (r"\frac{(a + b)}{[c = d]}", "(a + b) / [c = d]"),
    (r"\frac{a}{b} \, c", "(a / b) c"),
    (r"\frac{a}{b} \cdot c", "(a / b) · c"),
    (r"c \cdot \frac{a}{b}", "c · a / b"),
    (r"c \, \frac{a}{b} + d", "c a / b + d"),
    (r"c \, \frac{a + 1}{b}", "c (a + 1) / b"),
    (r"c / \frac{a}{b}", "c / (a / b)"),
    (r"\frac{a}{b} \frac{c}{d}", "(a / b) (c / d)"),
    (r"\frac{\partial y}{\partial x_j}", "∂y / ∂xⱼ"),
    (r"\frac{\partial^2 y}{\partial x^2}", "∂²y / ∂x²"),
    (r"dy \, \frac{\partial y}{\partial x}", "dy (∂y / ∂x)"),
    (r"\frac{\partial}{\partial x} y", "(∂ / ∂x) y"),
    (r"\frac{\partial \ln S}{\partial x}", "(∂ ln S) / ∂x"),
    (r"\frac{e^x}{\sum_k e^{x_k}}", "e^x / Σₖ e^(xₖ)"),
    (r"\frac{a}{\sum_k b_k c_k}", "a / (Σₖ bₖ cₖ)"),
    (r"\frac{\sum_k x_k}{n}", "(Σₖ xₖ) / n"),
    (r"\sum_k \frac{a_k}{b}", "Σₖ (aₖ / b)"),
    (r"\sum_k w_k \frac{a_k}{b}", "Σₖ wₖ (aₖ / b)"),
    (r"\frac{1}{n} \sum_k x_k", "(1 / n) Σₖ xₖ"),
    (r"\frac{\ln x}{y}", "(ln x) / y"),
    (r"\frac{\tanh(x)}{\ln y}", "tanh(x) / ln y"),
    (r"\ln \frac{a}{b}", "ln (a / b)"),
    (r"\sin\left( \frac{a}{b} \right)", "sin(a / b)"),
    (r"\left( \frac{a}{b} \right)^2", "(a / b)²"),
    (r"\sqrt{\frac{a}{b}}", "√(a / b)"),
    (r"x^{\frac{1}{2}}", "x^(1/2)"),
    (r"\frac{a}{\sqrt{d}} + \frac{a}{b_i^2}", "a / √d + a / bᵢ²"),
    (r"\frac{a}{b} \text{ if } x", "a / b if x"),
]

SPEECH = [
    (
        r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}",
        "P sub i j equals the fraction e to the power x sub i j over "
        "the sum over k of e to the power x sub i k, end fraction",
    ),
    (
        r"dx_{ij} = P_{ij} \left( dP_{ij} - \sum_k dP_{ik} \, P_{ik} \right)",
        "d x sub i j equals P sub i j times open parenthesis d P sub i j minus "
        "the sum over k of d P sub i k times P sub i k, close parenthesis",
    ),
    (r"\frac{x}{divisor}", "the fraction x over divisor, end fraction"),
    (r"dparts_{n,ij}", "d parts sub n comma i j"),
    (r"E_{ids_t,j}", "E sub ids sub t comma j, end sub"),
    (r"x_{i-1}", "x sub i minus 1, end sub"),
    (r"b^\top a^2 c^3", "b transposed times a squared times c cubed"),
    (r"e^{-x} + e^{x + 1}", "e to the power minus x plus e to the power x plus 1, end power"),
    (r"\sum_{k=1}^n x_k", "the sum from k equals 1 to n of x sub k"),
    (r"\max_k x_k - \log_2 y", "the maximum over k of x sub k minus the logarithm to the base 2 of y"),
    (r"\Phi(x)", "capital Phi of open parenthesis x, close parenthesis"),
    (r"s (1 - s)", "s times open parenthesis 1 minus s, close parenthesis"),
    (r"\ln -x", "the natural logarithm of minus x"),
    (r"\sqrt{d} + \sqrt{d + 1}", "the square root of d plus the square root of d plus 1, end root"),
    (r"\sqrt{x}^2", "the square root of x, end root squared"),
    (r"\frac{\partial y}{\partial x}", "the fraction partial y over partial x, end fraction"),
    (r"\hat{x}_i + f'", "x hat sub i plus f prime"),
    (r"|x| + \| g \|", "the absolute value of x, end absolute value plus the norm of g, end norm"),
    (r"W^{(1)}", "W superscript open parenthesis 1, close parenthesis"),
    (r"a \, [x = m], \quad b", "a times open bracket x equals m, close bracket, b"),
    (
        r"\begin{cases} x & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}",
        "by cases: x, if x is greater than 0; 0, otherwise; end cases",
    ),
    (r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", "the matrix row 1: a, b; row 2: c, d; end matrix"),
]

# LaTeX, and the place that the error names
REFUSED = [
    ("", ""),
    ("   ", "   "),
    (r"x_{\,}", "}"),
    (r"y = \foo{x}", r"\foo{x}"),
    (r"\frac{a}", r"\frac{a}"),
    (r"\frac{a} b", r"\frac{a} b"),
    (r"1 + \frac{a}{}", "}"),
    (r"\frac12", r"\frac12"),
    (r"\sqrt{a", "{a"),
    (r"x_{ij", "{ij"),
    ("a}", "}"),
    ("{a}", "{a}"),
    ("_", "_"),
    ("x + _i", "_i"),
    ("x_", "_"),
    ("x^", "^"),
    (r"x_\max", r"_\max"),
    ("x_i_j", "_j"),
    ("x^2^3", "^3"),
    ("x^2'", "'"),
    ("x'_i^2", "^2"),
    (r"\frac{a}{b}^2", "^2"),
    (r"a \cdot_i b", "_i b"),
    ("(a + b", "(a + b"),
    ("a + b)", ")"),
    ("()", ")"),
    (r"\left( a )", ")"),
    (r"\left( a", r"\left( a"),
    (r"\right)", r"\right)"),
    (r"\left. a \right|", r"\left. a \right|"),
    (r"\{1)", ")"),
    (r"\left( a \right|", "|"),
    (r"\| a", r"\| a"),
    ("a & b", "& b"),
    (r"\begin{align} a \end{align}", r"\begin{align} a \end{align}"),
    (r"\begin{cases} a & b", r"\begin{cases} a & b"),
    (r"\begin{cases} a \end{bmatrix}", r"\end{bmatrix}"),
    (r"\text{}", r"\text{}"),
    (r"\text{$x$}", r"\text{$x$}"),
    (r"\hat{a + b}", r"\hat{a + b}"),
    (r"\hat x", r"\hat x"),
    ("x²", "²"),
    ("α", "α"),
    ("a * b", "* b"),
    ("1.", "."),
    ("a % b", "% b"),
    ("a\\", "\\"),
]


@for_each(("latex", "unicode", "ascii"), LINES)
def test_line(latex, unicode, ascii):
    formula = parse(latex)
    assert (to_unicode(formula), to_ascii(formula)) == (unicode, ascii)


@for_each(("latex", "unicode"), PARENTHESES)
def test_parentheses(latex, unicode):
    assert to_unicode(parse(latex)) == unicode


@for_each(("latex", "speech"), SPEECH)
def test_speech(latex, speech):
    assert to_speech(parse(latex)) == speech


@for_each(("latex", "rest"), REFUSED)
def test_refused(latex, rest):
    with pytest.raises(FormulaError) as caught:
        parse(latex)
    assert caught.value.what == f"The formula {latex} cannot be read from '{rest}' on."


def test_a_formula_that_is_nested_too_deeply_is_refused():
    with pytest.raises(FormulaError):
        parse("(" * 5000 + "x" + ")" * 5000)


def test_latex_is_spaced_evenly():
    assert to_latex(parse(r"P_{i j}=\frac {e^{x_{ij}}} {\sum_{k}2}")) == r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k 2}"
    assert to_latex(parse(r"x_{12}^{\top}-\partial\,y")) == r"x_{12}^\top - \partial \, y"
    assert to_latex(parse(r"\text{if }x\le1")) == r"\text{if } x \le 1"


@for_each("latex", [row[0] for row in (*LINES, *PARENTHESES, *SPEECH)] + FORMULAS)
def test_round_trip(latex):
    formula = parse(latex)
    assert parse(to_latex(formula)) == formula
    assert to_latex(parse(to_latex(formula))) == to_latex(formula)


def test_every_sign_can_be_spoken():
    assert SIGNS.keys() == SPOKEN.keys()
