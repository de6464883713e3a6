"""Every formula, rule and derivation line of every page, and samples of what no page uses yet."""

import workings  # noqa: F401 - fills the registry
from workings.engine.op import OPS, Op


def page_formulas() -> list[str]:
    return sorted({latex for op in OPS.values() for latex in formulas_of(op)})


def formulas_of(op: Op) -> list[str]:
    found = [latex for latex, _ in op.page.formulas]
    found += [latex for rule in op.page.rules.values() for latex, _ in rule.formulas]
    return found + [latex for latex, _ in op.page.derivation]


SAMPLES = [
    r"\hat{x}_{ij} = \frac{x_{ij} - \mu_i}{\sqrt{\sigma_i^2 + \varepsilon}}",
    r"PE_{pos,2i} = \sin\left( \frac{pos}{10000^{2i/d}} \right)",
    r"y = \begin{cases} x & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}",
    r"A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}^\top",
    r"L = -\frac{1}{n} \sum_{i=1}^n \ln P_{i,y_i}",
    r"\left\| g \right\| \le 1, \quad |x| \ge \| y \|",
    r"x \, \Phi(x) + \frac{x}{\sqrt{2 \pi}} e^{-x^2/2}",
    r"W \leftarrow W - \eta \frac{\hat{m}_t}{\sqrt{\hat{v}_t} + \epsilon}",
    r"f'(x)^2 + x_i'^2 + \log_2 y \approx \bar{x} \pm \tilde{y}",
    r"\operatorname{softmax}(x)_i \in [0, 1], \qquad i \in \{1, \ldots, n\}",
    r"d_{\text{head\_size}} = \mathrm{width} / h, \; \neg a \Rightarrow a \ne b",
    r"\prod_k a_k \times b \odot c \cdot \cos x + \cdots, \quad x \to \infty",
    r"\min_j \left| x_j \right| + \exp(x) + \tanh x + \Delta W + \nabla L",
    r"P(a | b) = P(a \mid b); \quad x \sim N(0, 1): \Omega < \omega",
]
