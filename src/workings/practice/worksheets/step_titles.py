"""The headings of a sheet in words: its parts, and in each part what is computed, from the structure of the trace.

A forward step has a topic: embeddings, attention scores, the loss. A gradient belongs to the topic of the step that it
flows back through. Where a lesson has a section about a topic, its heading is taken: it says more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...document.blocks import Block, Heading, Spans, Text, Words
from ...engine.op import Stage
from ...engine.steps import Step
from ...explain.hand_calculation import rule_of
from ...explain.trace import Trace
from ..training_step import AFTER, example_of

PARTS: dict[Stage, str] = {"forward": "Forward pass", "backward": "Backward pass", "update": "Update"}
AFTER_UPDATE = "The forward pass after the update"
NUMBER = re.compile(r"(?:_\d+)?(?:_after)?$")  # what a training step adds to a name
LEVEL_OF_PARTS, LEVEL_OF_STEPS = 2, 3


@dataclass(frozen=True)
class Topic:
    """What is computed, and what its gradients do."""

    forward: str
    backward: str


EMBEDDINGS = Topic("Embeddings", "Down to the embeddings")
PROJECTIONS = Topic("Queries, keys and values", "From queries, keys and values to their matrices")
SCORES = Topic("Attention scores", "From the scores to queries and keys")
MASK = Topic("The mask", "Through the mask")
WEIGHTS = Topic("Attention weights", "Through the softmax")
CONTEXT = Topic("Context vectors", "From the context vectors to attention weights and values")
ATTENDED = Topic("Output projection", "Through the output projection")
FIRST = Topic("First layer", "Through the first layer")
SECOND = Topic("Second layer", "Through the second layer")
RESIDUAL = Topic("Residual connection", "Through the residual connection")
NORM = Topic("Layer norm", "Through layer norm")
LAST = Topic("The last token", "From the last token to all tokens")
LOGITS = Topic("Logits", "Through the output matrix")
PROBABILITIES = Topic("Probabilities", "Through the softmax")
LOSS = Topic("Loss", "Gradient of the logits")
BATCH = Topic("Loss of the batch", "From the loss of the batch to each example")
AVERAGE, MEETING = "The average gradient", "Where the paths meet"

BY_NAME: dict[str, Topic] = {
    **dict.fromkeys(("Q", "K", "V", "Q_heads", "K_heads", "V_heads"), PROJECTIONS),
    **dict.fromkeys(("context", "joined"), CONTEXT),
    "scores": SCORES,
    "attended": ATTENDED,
    "logits": LOGITS,
}
ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU"}
MASKS = ("mask", "causal_mask", "padding_mask")
LOSSES = ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_from_logits")
BY_OP: dict[str, Topic] = {
    "lookup": EMBEDDINGS,
    "divide_by_root": SCORES,
    "take_row": LAST,
    "layer_norm": NORM,
    "rms_norm": NORM,
    "sigmoid": PROBABILITIES,
    **dict.fromkeys(MASKS, MASK),
    **dict.fromkeys(LOSSES, LOSS),
    **{op: Topic(title, f"Through {title}") for op, title in ACTIVATIONS.items()},
}
PRODUCTS = ("matmul", "linear")
OF_HEADS = ("split_heads", "merge_heads")
BLOCK = re.compile(r"(?:^|\.)((?:(?:en|de)coder\.)?block)(\d+)\.")


class StepTitles:
    """The headings of the computed steps of a sheet.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> steps = [view.step for view in trace if view.name in ("Q", "scores", "scaled", "weights")]
    >>> for headings, step in StepTitles(trace).above(steps):
    ...     print(*(heading.text for heading in headings), step.name, sep=" | ")
    Forward pass | Step 1. Queries, keys and values | Q
    Step 2. Attention scores | scores
    scaled
    Step 3. Attention weights | weights
    """

    def __init__(self, trace: Trace, headings: Iterable[str] = (), sections: Mapping[str, str] | None = None) -> None:
        self.trace = trace
        self.recording = trace.recording
        self.headings = {_plain(text): text for text in headings}  # of a lesson
        self.sections = sections or {}  # the section of a lesson that shows a step, by the name of the step

    def above(self, steps: Iterable[Step]) -> Iterator[tuple[list[Block], Step]]:
        """Each step with the headings before it. No title occurs twice in a part: what belongs to an earlier one stays
        under the current heading.
        """
        parts: dict[str, list[Step]] = {}
        for step in steps:
            parts.setdefault(self.part_of(step), []).append(step)
        for number, (part, members) in enumerate(parts.items(), start=1):
            title = f"Part {number}. {part}" if len(parts) > 1 else part
            blocks: list[Block] = [Heading(LEVEL_OF_PARTS, title, f"part-{number}"), *self._about(part, members)]
            used: list[str] = []
            for step in members:
                title = "" if part == PARTS["update"] else self._title(step, members)
                if title and title not in used:
                    used.append(title)
                    text = title if self.is_batch else f"Step {len(used)}. {title}"
                    blocks.append(Heading(LEVEL_OF_STEPS, text, f"part-{number}.step-{len(used)}"))
                yield blocks, step
                blocks = []

    def part_of(self, step: Step) -> str:
        is_after = step.stage == "forward" and step.name.endswith(AFTER) and self._updates
        return AFTER_UPDATE if is_after else PARTS[step.stage]

    def _of_lesson(self, title: str, path: str) -> str:
        """The title as a lesson has it: Attention scores: which keys match which queries. Of several blocks, it says in
        which one.
        """
        block = BLOCK.search(path)
        if block is None or len(self._blocks) < 2:
            return self.headings.get(_plain(title), title)
        is_word = title.split(maxsplit=1)[0][1:].islower()  # and not ReLU
        small = title[:1].lower() + title[1:] if is_word else title
        return f"{block[1].replace('.', ' ').capitalize()} {block[2]}: {small}"

    @cached_property
    def _blocks(self) -> set[str]:
        return {found[0] for step in self.recording.steps.values() if (found := BLOCK.search(f".{step.path}"))}

    @cached_property
    def is_batch(self) -> bool:
        return any(example_of(step.path) for step in self.recording.steps.values())

    # -- below the heading of a part ---------------------------------------------------------------

    @cached_property
    def _updates(self) -> list[Step]:
        return [step for step in self.recording.steps.values() if step.stage == "update" and step.twin]

    def _about(self, part: str, members: list[Step]) -> Iterator[Text]:
        """Which gradients are needed, and what stays as it was."""
        if part == PARTS["backward"] and self._updates:
            learn = {step.twin for step in self._updates}
            weights = [step for step in self.recording.steps.values() if step.leaf == "parameter"]
            names = [step.name for step in weights if step.id in learn]
            others = [step.name for step in weights if step.id not in learn]
            gradients = {step.twin for step in self.recording.steps.values() if step.stage == "backward"}
            if not others or any(step.id in gradients - learn for step in weights):
                return
            if len(others) < len(names):
                verb = (
                    "does not learn, so its gradient is" if len(others) == 1 else "do not learn, so their gradients are"
                )
                yield Text((*_listed(others), Words(f" {verb} not needed.")))
            else:
                verb = "learns, so only its gradient is" if len(names) == 1 else "learn, so only their gradients are"
                yield Text((Words("Only "), *_listed(names), Words(f" {verb} needed.")))
        if part == AFTER_UPDATE:
            inside = {step.id for step in members}
            read = dict.fromkeys(id for step in members for id in step.inputs)
            steps = [self.recording.step(id) for id in read if id not in inside]
            same = [step.name for step in steps if step.op is not None and step.stage == "forward" and step.named]
            same = [name for name in same if not name.endswith(AFTER)]
            if same:
                same_as = (
                    "stays as it was: nothing before it" if len(same) == 1 else "stay as they were: nothing before them"
                )
                yield Text((Words("Use the new weights. "), *_listed(same), Words(f" {same_as} was updated.")))

    # -- the title of a step -----------------------------------------------------------------------

    def _title(self, step: Step, members: list[Step]) -> str:
        """What is computed here, or nothing where the step says nothing new."""
        example = self._example(step)
        if example:
            return self.example_title(example)
        if step.stage == "backward":
            return self._backward_title(step, members)
        topic = self.topic_of(step)
        return self._section(step) if topic is None else self._of_lesson(topic.forward, step.path)

    def _section(self, step: Step) -> str:
        """The section of the lesson that shows a step of which the trace says nothing."""
        return self.sections.get(NUMBER.sub("", step.name), "")

    def _backward_title(self, step: Step, members: list[Step]) -> str:
        group = rule_of(self.recording, step)
        if group is None:
            title = AVERAGE if self.is_batch else MEETING
            return self._of_lesson(title, step.path) if step.op_name == "collect" else ""
        forward = self.recording.step(group.rule_of or "")
        topic = self.topic_of(forward)
        if topic is None:
            return self._section(step)
        if topic is LOGITS and not any(self._goes_on(other) for other in members):
            return self._of_lesson(f"Gradient of {self.recording.step(step.twin or '').name}", "")
        return self._of_lesson(topic.backward, forward.path)

    def _goes_on(self, step: Step) -> bool:
        """Whether a gradient flows from the logits on to the steps before them, and not only to a weight."""
        group = rule_of(self.recording, step)
        is_of_logits = group is not None and self.topic_of(self.recording.step(group.rule_of or "")) is LOGITS
        return is_of_logits and self.recording.step(step.twin or "").leaf is None

    def _example(self, step: Step) -> int:
        """The example of a batch that a step belongs to: a gradient of a shared weight to that of its way back."""
        group = rule_of(self.recording, step)
        through = "" if group is None else self.recording.step(group.rule_of or "").path
        return example_of(step.path) or example_of(through)

    def example_title(self, example: int) -> str:
        """Example 2: A A, then D."""
        words = []
        for leaf in self.recording.steps.values():
            if (
                leaf.op is None
                and example_of(leaf.path) == example
                and NUMBER.sub("", leaf.name) in ("tokens", "target")
            ):
                vocabulary = self.trace.labels.axes.get("vocab", ())
                ids = [int(id) for id in self.recording.value(leaf.id).reshape(-1)]
                if all(0 <= id < len(vocabulary) for id in ids):
                    words.append(" ".join(vocabulary[id] for id in ids))
        return f"Example {example}: {', then '.join(words)}" if words else f"Example {example}"

    # -- the topic of a forward step ---------------------------------------------------------------

    @cached_property
    def _readers(self) -> Mapping[str, list[Step]]:
        readers: dict[str, list[Step]] = defaultdict(list)
        for step in self.recording.steps.values():
            for id in step.inputs if step.op is not None and step.stage == "forward" else ():
                readers[id].append(step)
        return readers

    def topic_of(self, step: Step) -> Topic | None:
        name = NUMBER.sub("", step.name)
        if step.op_name in (*PRODUCTS, *OF_HEADS) and name in BY_NAME:
            return BY_NAME[name]
        if step.op_name == "add" and name == "residual":
            return RESIDUAL
        if step.op_name in BY_OP:
            return BY_OP[step.op_name]
        if step.op_name == "softmax":
            is_read = any(reader.op_name == "matmul" for reader in self._readers[step.id])
            return WEIGHTS if is_read or name == "weights" or "key" in step.form.axes else PROBABILITIES
        if step.op_name in PRODUCTS:
            return self._topic_of_product(step)
        if step.op_name == "transpose" and self._readers[step.id]:  # of the keys, for the scores
            return self.topic_of(self._readers[step.id][0])
        return BATCH if self.is_batch and step.op_name in ("add", "divide_by") and not step.form.shape else None

    def _topic_of_product(self, step: Step) -> Topic | None:
        reads = {self.recording.step(id).op_name for id in step.inputs}
        read_by = {reader.op_name for reader in self._readers[step.id]}
        if read_by & {*LOSSES, "sigmoid"}:
            return LOGITS
        if read_by & set(ACTIVATIONS):
            return FIRST
        if reads & set(ACTIVATIONS):
            return SECOND
        if "softmax" in reads:
            return CONTEXT
        return SCORES if read_by & {"softmax", "divide_by_root", *MASKS} else None


def _plain(title: str) -> str:
    """A title to be compared: without what follows a colon, and without an article."""
    return title.partition(":")[0].strip().casefold().removeprefix("the ")


def _listed(names: list[str]) -> Spans:
    """W_Q, W_K and W_V."""
    spans: list[Words] = []
    for place, name in enumerate(names):
        spans += [Words(" and " if place == len(names) - 1 else ", ")] if place else []
        spans.append(Words(name, "code"))
    return tuple(spans)
