"""The text that a plan lets a model generate, recorded in the trace of the run: `token1.shares`, `token2.chosen`."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.errors import ScenarioError
from ...engine.tensor import Tensor
from ...explain.trace import Trace
from ...generation.beams import beam_search
from ...generation.generate import generate
from ...generation.sampling import Choice
from ...nn.model import EncoderDecoder
from ..reading.location import about, about_options
from ..reading.plan import GeneratePlan
from .building import Built, encoded

TRAINED = "trained"  # the path of weights whose last training step was not recorded


def generate_text(plan: GeneratePlan, built: Built, weights: Mapping[str, Tensor], trace: Trace) -> None:
    """Generate the text with these weights, and record every step of it."""
    with about("generate", "prompt"):
        prompt = encoded(plan.prompt, built.vocabulary)
    # Only training uses dropout.
    model = (built.model if built.draws is None else built.quiet()).with_parameters(weights)
    with trace, trace.recording.scope(TRAINED):
        model.write_down()
    start = _start(built) if isinstance(model, EncoderDecoder) else None
    end = None if built.vocabulary is None else built.vocabulary.end
    with about_options("generate"):
        if plan.beams is not None:
            beam_search(
                model, prompt, plan.beams, plan.max_new_tokens, length_penalty=plan.length_penalty, start=start,
                end=end, cache=plan.cache, record=trace,
            )  # fmt: skip
            return
        choice = Choice(plan.temperature, plan.top_k, plan.top_p, plan.greedy, plan.seed)
        tokens = generate(
            model, prompt, choice, plan.max_new_tokens, start=start, end=end, cache=plan.cache, record=trace
        )
        for _ in tokens:
            pass  # each token is recorded when it is generated


def _start(built: Built) -> int:
    """The token with which an encoder-decoder begins its text."""
    start = None if built.vocabulary is None else built.vocabulary.start
    if start is None:
        raise ScenarioError(
            "This model generates a text of its own, and the vocabulary has no token to begin it with.",
            hint="Put such a token, <s>, among the special ones of the vocabulary.",
            keys=("generate",),
        )
    return start
