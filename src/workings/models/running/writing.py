"""The text that a plan asks a model to write, into the trace of the run: `token1.shares`, `token2.chosen`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...engine.errors import ScenarioError, WorkingsError
from ...engine.tensor import Tensor
from ...explain.view import Trace
from ...nn.model import EncoderDecoder
from ..generating.beams import beam_search
from ..generating.choice import Choice
from ..generating.generate import generate
from ..reading.plan import GeneratePlan
from .building import Built, encoded

TRAINED = "trained"  # where weights stand that training left behind without recording the last step
ABOUT = {  # the key that an error is about, by the beginning of its own
    "choice.temperature": "temperature",
    "choice.top_k": "top_k",
    "choice.top_p": "top_p",
    "cache": "cache",
    "generate.long": "prompt",
}


def write_text(plan: GeneratePlan, built: Built, weights: Mapping[str, Tensor], trace: Trace) -> None:
    """Write the text with these weights, and record everything of it."""
    with _about("prompt"):
        prompt = encoded(plan.prompt, built.vocabulary)
    # Dropout is for training only.
    model = (built.model if built.draws is None else built.quiet()).with_parameters(weights)
    with trace, trace.recording.scope(TRAINED):
        model.write_down()
    start = _start(built) if isinstance(model, EncoderDecoder) else None
    end = None if built.vocabulary is None else built.vocabulary.end
    with _about():
        if plan.beams is not None:
            beam_search(
                model, prompt, plan.beams, plan.tokens, length_penalty=plan.length_penalty, start=start, end=end,
                cache=plan.cache, record=trace,
            )  # fmt: skip
            return
        choice = Choice(plan.temperature, plan.top_k, plan.top_p, plan.greedy, plan.seed)
        for _ in generate(model, prompt, choice, plan.tokens, start=start, end=end, cache=plan.cache, record=trace):
            pass  # each token is recorded as it comes


def _start(built: Built) -> int:
    """The token with which an encoder-decoder begins its text."""
    start = None if built.vocabulary is None else built.vocabulary.start
    if start is None:
        raise ScenarioError("run.generate.start", where="generate")
    return start


@contextmanager
def _about(key: str = "") -> Iterator[None]:
    """What goes wrong inside is about a key of `generate:`, or about all of it."""
    try:
        yield
    except WorkingsError as error:
        name = key or next((key for begin, key in ABOUT.items() if error.key.startswith(begin)), "")
        error.where, error.given = f"generate.{name}" if name else "generate", ""
        raise
