"""What goes wrong in a loss that is a logarithm: the mistakes that the pages of these losses share."""

from __future__ import annotations

import math

from ...engine.changes import Changes
from ...engine.op import Composite
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..split import split
from .reduction import other


class LogLossMistakes(Composite):
    """Mistakes in the logarithm, and in the mean over the losses."""

    @mistake("You mixed up mean and sum: the mean is the sum of the losses divided by their number.")
    def wrong_reduction(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        return self(predicted, label, reduction=other(reduction))

    @mistake("You left out the minus sign: the logarithm of a probability is negative, the loss is not.")
    def sign_forgotten(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        return -self(predicted, label, reduction=reduction)

    @mistake("You used log base 10: the loss uses the natural logarithm, ln.")
    def base_ten(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        return self(predicted, label, reduction=reduction) / math.log(10)

    @mistake("You used log base 2: the loss uses the natural logarithm, ln.")
    def base_two(self, predicted: Tensor, label: Tensor, *, reduction: str) -> Tensor:
        return self(predicted, label, reduction=reduction) / math.log(2)

    @mistake("You divided by the number of losses twice: divide once.")
    def mean_twice(self, predicted: Tensor, label: Tensor) -> Tensor:
        return self(predicted, label) / label.entries


class ClassLossMistakes(LogLossMistakes):
    """Mistakes in choosing the right class: of a vocabulary, the next token."""

    @mistake("You averaged over the classes as well: each row has a single loss, that of its target.")
    def mean_over_classes(self, predicted: Tensor, target: Tensor) -> Tensor:
        return self(predicted, target) / predicted.size(-1)

    @mistake(
        "You shifted the targets by one more position, so each token predicts the token after the next: they "
        "already are the next tokens."
    )
    def targets_shifted_twice(self, predicted: Tensor, target: Tensor, *, reduction: str) -> Tensor:
        rest = target.size("token") - 1
        rows = split(predicted, sizes=(rest, 1), part=0, axis="token")
        return self(rows, split(target, sizes=(1, rest), part=1, axis="token"), reduction=reduction)

    @mistake("You used the input tokens as targets: the target of a position is the next token.", across="wire")
    def targets_not_shifted(self, here: Site) -> Changes | None:
        predicted, target = (site for _, site in here.inputs())
        lookups = (site for site in here.before() if site.is_a("lookup"))
        tokens = (site.input("ids") for site in lookups if site.input("E").form.shape[0] == predicted.form.shape[-1])
        taken = next((ids for ids in tokens if ids.form.shape == target.form.shape and target.form.shape), None)
        return target.replaced_by(taken) if taken is not None and not taken.is_same(target) else None
