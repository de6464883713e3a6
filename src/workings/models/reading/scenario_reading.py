"""A scenario file becomes plans: what is to be computed, one plan for each of its runs.

The tree of the YAML (yaml_reading.py) is brought from the short forms that people write into the keys of
plan.py, read as records (record_reading.py), and checked for what goes together. Errors point to line and key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...conventions import CHOICES, convention
from ...engine.arithmetic import arithmetic
from ...engine.errors import ConventionError, WorkingsError
from ...engine.form import form_of
from ...engine.registry import OPS
from ...text.vocabulary import Vocabulary
from .likely import LONGEST, likely
from .line_names import check_names
from .line_parsing import Line, parse_line
from .matrix_reading import check_matrix, ids_of
from .overlay import laid_over, line_of, path_of
from .plan import ARROW, ExamplePlan, GeneratePlan, GivenIds, GivenValue, Plan, TextPlan, TrainPlan, VocabularyPlan
from .record_reading import Place, is_nothing, read_record, shown
from .yaml_reading import MOST, NOWHERE, Entries, Items, Node, Scalar, lifted, place, read_yaml

DEFAULT = "default"
MOST_RUNS = 100  # the file is read anew for each
# What does nothing where the data is written out, and where it is a task or a long text.
IDLE_WITH_EXAMPLES = ("size", "parts", "average")
IDLE_WITH_SOURCES = ("loss", "batch")
DRAWING = ("greedy", "temperature", "top_k", "top_p", "seed")  # what does nothing with beams; all but one, with greedy
RUN = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True)
class ScenarioFile:
    """The plans of a file: the run `default`, which is the file as it stands, and then each of its other runs."""

    where: str
    runs: Mapping[str, Plan]
    trees: Mapping[str, Entries] = field(repr=False)
    count: int = 0  # of the values of all runs together

    def line_of(self, run: str, *keys: str | int) -> int:
        """The line on which something was written: line_of("masked", "data", 0, "target")."""
        plan = self.runs[run]
        if len(keys) > 1 and keys[0] == "calculate" and isinstance(keys[1], int) and keys[1] < len(plan.calculate):
            return plan.calculate[keys[1]].line
        return line_of(self.trees[run], *keys)

    def place_of(self, run: str, *keys: str | int) -> str:
        """The same for the `where` of an error: `example.yaml, line 7, model.heads`."""
        return place(self.where, self.line_of(run, *keys), _prefix(run) + path_of(*keys))


def read_scenario(
    text: str | bytes, where: str = "scenario", changes: str = "", changed: str = DEFAULT
) -> ScenarioFile:
    r"""The plans of a scenario file. `changes`, written in the same way, are laid over the run `changed`.

    >>> text = "scenario: 1\ngiven: {X: 1 2}\ncalculate: [y = relu(X)]\nruns: {other: {given: {X: -1 2}}}"
    >>> file = read_scenario(text, "example.yaml")
    >>> list(file.runs), file.runs["other"].given["X"].value, file.line_of("other", "given", "X")
    (['default', 'other'], '-1 2', 4)
    """
    root = read_yaml(text, where)
    base = Entries({key: node for key, node in root.entries.items() if key != "runs"}, root.lines, root.line)
    trees = {DEFAULT: base}
    runs = tuple(_runs(root, where))
    count = root.count + len(runs) * sum(node.count for node in base.entries.values())
    if count > MOST:  # before they are read: each run has those of the file once more
        Place(where, root.lines["runs"], "runs").refuse("scenario.runs.values", count=count, most=MOST)
    trees |= {name: laid_over(base, over, here) for name, over, here in runs}
    if changes:
        over = lifted(read_yaml(changes, where))
        assert isinstance(over, Entries)
        if changed in trees:
            trees[changed] = laid_over(trees[changed], over, Place(where, NOWHERE))
    plans = {name: _Reader(where, name, tree).plan() for name, tree in trees.items()}
    return ScenarioFile(where, plans, trees, count)


def _prefix(run: str) -> str:
    return "" if run == DEFAULT else f"runs.{run}."


def _runs(root: Entries, where: str) -> Iterator[tuple[str, Entries, Place]]:
    runs = root.entries.get("runs")
    if runs is None or is_nothing(runs):
        return
    here = Place(where, root.lines["runs"], "runs")
    if not isinstance(runs, Entries):
        here.refuse("scenario.runs", value=shown(runs))
    if len(runs.entries) > MOST_RUNS:
        here.refuse("scenario.runs.many", count=len(runs.entries), most=MOST_RUNS)
    for name, over in runs.entries.items():
        there = here.below(name, runs.lines[name])
        if name == DEFAULT:
            there.refuse("scenario.run.default")
        if not RUN.fullmatch(name) or len(name) > LONGEST:
            there.refuse("scenario.run.name", name=name[:LONGEST])
        if not isinstance(over, Entries):
            there.refuse("scenario.runs", value=shown(over))
        if "runs" in over.entries:
            there.below("runs", over.lines["runs"]).refuse("scenario.run.runs")
        yield name, over, there


class _Reader:
    """Reads one run."""

    def __init__(self, where: str, run: str, tree: Entries) -> None:
        self.where = where
        self.prefix = _prefix(run)
        self.tree = tree

    def at(self, *keys: str | int) -> Place:
        return Place(self.where, line_of(self.tree, *keys), self.prefix + path_of(*keys))

    def plan(self) -> Plan:
        entries = {key: node for key, node in self.tree.entries.items() if key != "calculate"}
        if not is_nothing(entries.get("vocabulary")):
            entries["vocabulary"] = self.vocabulary(entries["vocabulary"])
        if not is_nothing(entries.get("data")):
            entries["data"] = _in_rows(entries["data"])
        tree = Entries(entries, self.tree.lines, self.tree.line)
        top = Place(self.where, self.tree.line, self.prefix.removesuffix("."))
        plan: Plan = read_record(Plan, tree, top, also=("runs",))
        plan = replace(plan, calculate=self.lines(), given=self.given(plan))
        self.check_words(plan)
        self.check_train(plan)
        self.check_generate(plan)
        self.check_whole(plan)
        return plan

    # -- short forms -----------------------------------------------------------------------

    def vocabulary(self, node: Node) -> Entries:
        """`A B`, [A, B], {tokens: ...} or {characters: ...}, all as {tokens: [...], unit: ...}."""
        line = line_of(self.tree, "vocabulary")
        if not isinstance(node, Entries):
            node = Entries({"tokens": node}, {"tokens": line}, line)
        entries, lines = dict(node.entries), dict(node.lines)
        if not is_nothing(entries.get("characters")):
            for other in ("tokens", "unit"):
                if not is_nothing(entries.get(other)):
                    self.at("vocabulary", other).refuse("scenario.vocabulary", other=other)
            characters = entries["characters"]
            if isinstance(characters, Scalar):
                letters = (Scalar(letter, letter, characters.line) for letter in characters.text)
                characters = Items(tuple(letters), characters.line)
            line = lines["characters"]
            entries |= {"tokens": characters, "unit": Scalar("character", "character", line)}
            lines |= {"tokens": line, "unit": line}
        entries.pop("characters", None)
        for key in ("tokens", "special"):
            if key in entries and not is_nothing(entries[key]):
                entries[key] = _words_in(entries[key])
        return Entries(entries, lines, node.line)

    def lines(self) -> tuple[Line, ...]:
        """`calculate:` as a list of lines, or as a text below a | with a line per line."""
        node = self.tree.entries.get("calculate")
        if node is None or is_nothing(node):
            return ()
        written: list[tuple[str, int, Place]] = []
        if isinstance(node, Scalar):
            first = node.line + node.block  # the text begins on the line below the |
            here = self.at("calculate")
            for number, text in enumerate(node.text.split("\n")):
                line = first + number if node.block else first
                written.append((text, line, replace(here, line=line)))
        elif isinstance(node, Items):
            for number, item in enumerate(node.items):
                here = self.at("calculate", number)
                if not isinstance(item, Scalar):
                    here.refuse("scenario.line", value=shown(item))
                written.append((item.text, item.line, here))
        else:
            self.at("calculate").refuse("scenario.line", value=shown(node))
        found = []
        for text, line, here in written:
            if text.split("#")[0].strip():
                found.append(_placed(here, parse_line, text, line))
        if not found:
            self.at("calculate").refuse("scenario.line", value=shown(node))
        return tuple(found)

    def given(self, plan: Plan) -> dict[str, GivenValue | GivenIds]:
        """The given values with their axes one by one, checked as far as possible without a model."""
        found = {}
        for name, value in plan.given.items():
            here = self.at("given", name)
            words = tuple(word for part in value.axes for word in part.split())
            numbers = value.value if isinstance(value, GivenValue) else value.ids
            shape = check_matrix(numbers, str(here))
            if isinstance(value, GivenIds):
                ids_of(numbers, str(here))
            if shape is None and plan.model is None:
                here.refuse("matrix.words", word=str(numbers)[:LONGEST])
            if words:
                axes = self.at("given", name, "axes")
                _placed(axes, form_of, words, shape if shape is not None else (1,) * len(words))
            found[name] = replace(value, axes=words)
        return found

    # -- what goes together ----------------------------------------------------------------

    def check_words(self, plan: Plan) -> None:
        """Names that other parts of the project know."""
        _placed(self.at("convention", "profile"), convention, plan.convention.profile)
        for choice, value in plan.convention.changes.items():
            here = self.at("convention", choice)
            if choice not in CHOICES:
                values = {"field": choice[:LONGEST], "nearest": likely(choice, CHOICES), "known": ", ".join(CHOICES)}
                raise ConventionError("convention.field", where=str(here), **values)
            _placed(here, convention(plan.convention.profile).but, **{choice: value})
        if len(plan.precision) > LONGEST:
            self.at("precision").refuse("precision", text=f"{plan.precision[:LONGEST]}...")
        _placed(self.at("precision"), arithmetic, plan.precision)
        if plan.vocabulary is not None:
            self.check_vocabulary(plan, plan.vocabulary)

    def check_vocabulary(self, plan: Plan, words: VocabularyPlan) -> None:
        """Tokens are written out, or learned from a long text."""
        here = self.at("vocabulary")
        if words.size is not None and words.unit != "byte-pair":
            self.at("vocabulary", "size").refuse("scenario.vocabulary.size", unit=words.unit)
        if words.unit == "byte-pair":
            if words.tokens or not isinstance(plan.data, TextPlan):
                here.refuse("scenario.vocabulary.learned")
        elif words.tokens or "tokens" in getattr(self.tree.entries["vocabulary"], "entries", {"tokens": None}):
            _placed(here, Vocabulary, words.tokens, words.unit, words.special)
        elif not isinstance(plan.data, TextPlan):
            here.refuse("scenario.missing", name="tokens")

    def check_train(self, plan: Plan) -> None:
        if plan.train is None:
            return
        train, optimiser = plan.train, plan.train.optimiser
        known = [name for name in OPS[optimiser.name].page.settings if name not in ("rate", "t")]
        for setting in optimiser.settings:
            if setting not in known:
                values = {"name": setting[:LONGEST], "optimiser": optimiser.name, "known": ", ".join(known) or "-"}
                self.at("train", "optimiser", setting).refuse("scenario.optimiser", **values)
        idle = IDLE_WITH_EXAMPLES if isinstance(plan.data, tuple) else IDLE_WITH_SOURCES
        for key in idle:
            if getattr(train, key) != getattr(TrainPlan(), key):
                self.at("train", key).refuse("scenario.idle", name=key, others=", ".join(idle))
        for step in train.keep or ():
            if step > train.steps:
                self.at("train", "keep").refuse("scenario.keep", step=step, steps=train.steps)

    def check_generate(self, plan: Plan) -> None:
        """What a text begins with, and keys that would do nothing beside each other."""
        if plan.generate is None:
            return
        if plan.model is None:
            self.at("generate").refuse("scenario.generate.model")
        asked, usual = plan.generate, GeneratePlan("")
        if asked.beams is None and asked.length_penalty != usual.length_penalty:
            self.at("generate", "length_penalty").refuse("scenario.generate.penalty")
        for key in DRAWING if asked.beams is not None else DRAWING[1:] if asked.greedy else ():
            if getattr(asked, key) != getattr(usual, key):
                other = "beams" if asked.beams is not None else "greedy"
                self.at("generate", key).refuse("scenario.generate.drawing", name=key, other=other)
        self.check_text(plan, asked.prompt, self.at("generate", "prompt"))

    def check_whole(self, plan: Plan) -> None:
        """A model or lines, and what each of them needs."""
        if plan.model is not None and plan.calculate:
            self.at("calculate").refuse("scenario.both")
        if plan.model is None and not plan.calculate:
            Place(self.where, self.tree.line, self.prefix.removesuffix(".")).refuse("scenario.neither")
        if plan.calculate:
            if plan.data:
                self.at("data").refuse("scenario.data")
            try:
                check_names(plan.calculate, [*plan.given, *plan.parameters.values])
            except WorkingsError as error:
                error.where = f"{self.where}, {error.where}"
                raise
        for number, example in enumerate(plan.examples):
            self.check_example(plan, number, example)

    def check_example(self, plan: Plan, number: int, example: ExamplePlan) -> None:
        has_decoder = plan.model is not None and plan.model.kind == "encoder-decoder"
        if example.decoder is not None and not has_decoder:
            self.at("data", number, "decoder").refuse("scenario.decoder")
        for key in ("input", "decoder"):
            if getattr(example, key) is not None:
                self.check_text(plan, getattr(example, key), self.at("data", number, key))

    def check_text(self, plan: Plan, tokens: Any, here: Place) -> None:
        """A text has tokens; words need a vocabulary, which a task or a long text brings along."""
        if not (tokens.strip() if isinstance(tokens, str) else tokens):
            here.refuse("scenario.input")
        has_words = plan.vocabulary is not None or not isinstance(plan.data, tuple)
        if not has_words and any(isinstance(token, str) for token in tokens):
            here.refuse("scenario.tokens", value=str(tokens)[:LONGEST])


def _in_rows(node: Node) -> Node:
    """A row of the data may be a line with an arrow: `A B -> C` is {input: A B, target: C}."""
    if isinstance(node, Items):
        return Items(tuple(_in_rows(item) for item in node.items), node.line)
    if not isinstance(node, Scalar) or ARROW not in node.text:
        return node
    parts = {key: text.strip() for key, text in zip(("input", "target"), node.text.split(ARROW, 1), strict=True)}
    written: dict[str, Node] = {key: Scalar(text, text, node.line) for key, text in parts.items()}
    return Entries(written, dict.fromkeys(written, node.line), node.line)


def _words_in(node: Node) -> Node:
    """Tokens are words, also where YAML reads a number or null; a text is split at its spaces."""
    if isinstance(node, Scalar):
        return Items(tuple(Scalar(word, word, node.line) for word in node.text.split()), node.line)
    if isinstance(node, Items):
        items = (replace(item, value=item.text) if isinstance(item, Scalar) else item for item in node.items)
        return Items(tuple(items), node.line)
    return node


def _placed(here: Place, call: Any, *values: Any, **changes: Any) -> Any:
    """Call something that knows no lines; its errors get the place."""
    try:
        return call(*values, **changes)
    except WorkingsError as error:
        error.where = str(here)
        raise
