"""What a run will cost, before one number of it is computed: its steps are gone through with shapes alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...counting.count import parameters
from ...counting.count_lines import total
from ...counting.survey import Survey
from ...engine.recording import Recording
from ...scenarios.reading.plan import Plan, TaskPlan, TrainPlan
from ...scenarios.running.computation import computation_of
from ...scenarios.scenario import Scenario
from ..errors import LabError
from .memory import STEP, size_of_scenario

MOST = 2_000_000_000  # multiplications of all passes together: some seconds
NUMBER = 8  # bytes
COMPILED, RECORDED = 1_000, 30_000  # multiplications that take as long as handling a step: in training, and else
CALCULATOR = 70_000  # and as one multiplication of a calculator
BOTH_WAYS = 3  # going back takes about twice as long as going forward


def check_cost(scenario: Scenario, run: str, memory: int, precision: str = "") -> int:
    """Refuse what would take too long or more memory than there is. Else about how many bytes it will take.

    >>> from workings.scenarios.scenario import scenario
    >>> check_cost(scenario("example-6"), "default", memory=2**21) // 1000
    1247
    >>> check_cost(scenario("example-2").changed("model: {width: 9000}"), "default", memory=2**28)
    Traceback (most recent call last):
    workings.lab.errors.LabError: This scenario takes about 1,945 MB, and the lab holds up to 268 MB at once.
      try:   Make the model smaller or the texts shorter, leave the target out, keep fewer steps of a training, or \
start the lab with more --memory.
    """
    cost = cost_of(scenario, run, memory, precision)
    if cost.work > MOST:
        raise LabError(
            f"This scenario takes about {cost.work:,} multiplications, and the lab computes up to {MOST:,}.",
            hint="Make the model smaller, the texts shorter or the training shorter, or run it on your own "
            "machine with `workings trace`.",
        )
    return cost.size


@dataclass(frozen=True)
class Cost:
    """The `work` in multiplications, and the `size` in bytes."""

    work: int
    size: int


def cost_of(scenario: Scenario, run: str, memory: int, precision: str = "") -> Cost:
    """What a run will cost; it must fit into the memory."""
    plan = scenario.plan(run)
    own = size_of_scenario(scenario)
    if plan.model is not None:  # before its weights are drawn
        _refuse_size(own + NUMBER * total(parameters(scenario.architecture(run))), memory)
    survey = Survey()
    computation = computation_of(plan, scenario.convention(run))
    with survey:
        computation.write_down(computation.weights)
        loss = computation.forward(computation.weights)
    trained = 1 if plan.train is None else _steps_trained(plan, plan.train) * plan.train.accumulation_steps
    generated = 0 if plan.generate is None else plan.generate.max_new_tokens * (plan.generate.beams or 1)
    kept = len(plan.train.keep or (1,)) if plan.train is not None else 1
    entries = sum(math.prod(step.form.shape) for step in survey.steps.values())
    one_pass = multiplications(survey) + entries
    steps, handled = len(survey.steps), COMPILED
    if (precision or plan.precision).startswith("calculator"):
        one_pass, handled = CALCULATOR * one_pass, RECORDED
    cost = BOTH_WAYS * trained * (one_pass + handled * steps) + generated * (one_pass + RECORDED * steps)
    goes_back = loss is not None or plan.train is not None or plan.backward is not None
    size = own + (BOTH_WAYS if goes_back else 1) * kept * (NUMBER * entries + STEP * steps)
    _refuse_size(size, memory)
    return Cost(cost, size)


def _steps_trained(plan: Plan, train: TrainPlan) -> int:
    """A task that goes on for long is trained as far as the last step that is shown."""
    if isinstance(plan.data, TaskPlan) and plan.generate is None:
        return max(train.keep or (1,))
    return train.steps


def multiplications(recording: Recording) -> int:
    """Those of the matrix products of one forward pass, one for each term of each entry.

    >>> from workings.scenarios.scenario import scenario
    >>> multiplications(scenario("cat-sat").trace().recording)
    27
    """
    count = 0
    for step in recording.steps.values():
        if step.op_name == "matmul" and step.stage == "forward":
            count += math.prod(step.form.shape) * recording.step(step.inputs[0]).form.shape[-1]
    return count


def _refuse_size(size: int, memory: int) -> None:
    if size > memory:
        raise LabError(
            f"This scenario takes about {megabytes(size)} MB, and the lab holds up to {megabytes(memory)} MB at once.",
            hint="Make the model smaller or the texts shorter, leave the target out, keep fewer steps of a "
            "training, or start the lab with more --memory.",
        )


def megabytes(size: int) -> str:
    """
    >>> megabytes(2**31)
    '2,147'
    """
    return f"{size / 1e6:,.0f}"
