"""Training as a plan describes it: the trainer of a plan, and a trace of the steps that are kept.

A kept step is recorded: forward pass, backward pass, and the new value of every trained weight. The steps in between
run as a compiled program that keeps only their losses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import nullcontext, suppress

from ...conventions import Convention
from ...engine.errors import ScenarioError
from ...engine.tensor import Tensor
from ...explain.trace import Trace
from ...training.rates import Rates
from ...training.trainer import Trainer
from ...training.update import Optimizer
from ..reading.location import about_options
from ..reading.plan import Plan, TrainPlan
from .building import find_weight
from .computation import Computation


def trainer_of(plan: Plan, computation: Computation, convention: Convention, precision: str, own: bool) -> Trainer:
    """The training of a plan, before its first step. `own` is whether the convention is the plan's own."""
    train = plan.train
    if train is None:
        raise ScenarioError(
            "Nothing is trained here.",
            hint="Add `train: {learning_rate: 0.1, steps: 100}` to the scenario, or choose a run that trains.",
        )
    trained = _trained(train, computation.weights, _fixed(plan, computation.weights, own), own)
    updates = len(computation.updates(1))  # of each step: several where a batch has fewer examples than there are
    seed = plan.parameters.seed
    with about_options("train"):
        optimizer = Optimizer(train.optimizer.name, train.optimizer.settings, train.max_grad_norm)
        warmup, steps = train.warmup_steps * updates, train.steps * updates
        rates = Rates(train.learning_rate, warmup, train.schedule, train.end_factor, steps)
        return Trainer(computation, trained, optimizer, rates, precision=precision, convention=convention, seed=seed)


def record_kept_steps(trainer: Trainer, train: TrainPlan, trace: Trace, to_the_end: bool = True) -> list[float]:
    """Train, and record the kept steps in a trace. The losses of all steps, up to the last or the last kept one."""
    kept = sorted(set(train.keep or (1,)))
    last = train.steps if to_the_end else kept[-1]
    while trainer.step < last:
        number = trainer.step + 1
        if number in kept:
            if number == kept[0]:
                trainer.write_down(trace)
            trainer.record(trace, f"step{number}" if len(kept) > 1 else "")
        elif trainer.precision.startswith("float"):
            trainer.advance()
        else:  # a calculator goes through every line of a step
            trainer.record(trainer.empty_trace())
    return trainer.losses


def _fixed(plan: Plan, weights: Iterable[str], own: bool) -> tuple[str, ...]:
    """The weights that training leaves as they are."""
    frozen = []
    for name in plan.frozen:
        with nullcontext() if own else suppress(ScenarioError):
            frozen.append(find_weight(name, weights, ("frozen",)))
    is_fixed = plan.model is not None and plan.model.embedding == "fixed"
    return (*frozen, *(("embedding.E", "encoder.embedding.E") if is_fixed else ()))


def _trained(plan: TrainPlan, weights: Mapping[str, Tensor], fixed: Collection[str], own: bool) -> list[str]:
    """The paths of what is trained: everything that is not fixed, or what the plan names. Under another convention than
    the plan's own, a weight may be missing and is not trained: a tied output has no W_vocab.
    """
    if plan.trainable == "all":
        return [path for path in weights if path not in fixed]
    named: dict[str, str] = {}
    for name in plan.trainable:
        with nullcontext() if own else suppress(ScenarioError):
            named[name] = find_weight(name, weights, ("train", "trainable"))
    trained = list(named.values())
    for name, path in named.items():
        if path in fixed:
            raise ScenarioError(
                f"'{name}' cannot be trained: it is fixed.",
                hint="Remove it from `trainable`, or from `frozen`; an embedding is trained with `embedding: learned`.",
                keys=("train", "trainable"),
            )
        if trained.count(path) > 1:
            raise ScenarioError(
                f"'{name}' is listed twice: a weight changes once in each step.",
                hint="Remove one of them.",
                keys=("train", "trainable"),
            )
    return trained
