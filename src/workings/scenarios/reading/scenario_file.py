"""From a scenario file to plans, one for each of its runs.

The tree of the YAML (yaml_tree.py) is brought from the short forms that people write to the keys of plan.py, read as
records (records.py), and checked for what goes together (plan_checks.py). Errors point to line and keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...engine.errors import Keys, ScenarioError
from ...engine.form import form_of
from .calculate_lines import CalculateLine, parse_line
from .location import MAX_SHOWN_CHARS, NO_LINE, Location
from .matrices import check_matrix, ids_of, shape_unknown
from .overlay import laid_over, line_of
from .plan import ARROW, GivenIds, GivenValue, Plan
from .plan_checks import check_plan
from .records import is_nothing, read_record, shown
from .yaml_tree import MAX_NODES, ListNode, MappingNode, ScalarNode, YamlNode, read_yaml, without_lines

DEFAULT = "default"
MAX_RUNS = 100  # the file is read once for each
RUN_NAME = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True)
class ScenarioFile:
    """The plans of a file: the run `default`, which is the file without its runs, and then each of the others."""

    name: str
    runs: Mapping[str, Plan]
    trees: Mapping[str, MappingNode] = field(repr=False)
    count: int = 0  # of the values of all runs together

    def location(self, run: str, *keys: str | int) -> Location:
        """Where the value at these keys is in the file: location("masked", "data", 0, "target")."""
        lines = self.runs[run].calculate
        if keys[:1] == ("calculate",) and len(keys) > 1 and isinstance(keys[1], int) and keys[1] < len(lines):
            return Location(self.name, lines[keys[1]].line, (*_run_keys(run), *keys))
        return _location(self.name, run, self.trees[run], keys)


def read_scenario(
    text: str | bytes, file: str = "scenario", changes: str = "", changed_run: str = DEFAULT, start: str = DEFAULT
) -> ScenarioFile:
    r"""The plans of a scenario file. `changes`, YAML with the same keys, are laid over the run `changed_run`. Every run
    starts from the run `start`, with its own keys laid over it.

    >>> text = "scenario: 1\ngiven: {X: 1 2}\ncalculate: [y = relu(X)]\nruns: {other: {given: {X: -1 2}}}"
    >>> read = read_scenario(text, "example.yaml")
    >>> list(read.runs), read.runs["other"].given["X"].value, read.location("other", "given", "X").line
    (['default', 'other'], '-1 2', 4)
    """
    root = read_yaml(text, file)
    base = MappingNode({key: node for key, node in root.entries.items() if key != "runs"}, root.lines, root.line)
    runs = tuple(_runs(root, file))
    count = root.count + len(runs) * sum(node.count for node in base.entries.values())
    if count > MAX_NODES:  # before they are read: each run repeats the values of the file
        raise Location(file, root.lines["runs"], ("runs",)).error(
            f"All runs together have {count} values, because each repeats those of the file.",
            hint=f'The limit is {MAX_NODES}: write matrices as text, "1 0; 0 1", or use fewer runs.',
        )
    first = next((laid_over(base, over, here) for name, over, here in runs if name == start), base)
    trees = {DEFAULT: first, **{name: laid_over(first, over, here) for name, over, here in runs}}
    if changes:
        changed = without_lines(read_yaml(changes, file))
        assert isinstance(changed, MappingNode)
        if changed_run in trees:
            trees[changed_run] = laid_over(trees[changed_run], changed, Location(file, NO_LINE))
    plans = {name: _RunReader(file, name, tree).plan() for name, tree in trees.items()}
    return ScenarioFile(file, plans, trees, count)


def _run_keys(run: str) -> tuple[str, ...]:
    return () if run == DEFAULT else ("runs", run)


def _location(file: str, run: str, tree: MappingNode, keys: Keys) -> Location:
    return Location(file, line_of(tree, keys, tree.line), (*_run_keys(run), *keys))


def _runs(root: MappingNode, file: str) -> Iterator[tuple[str, MappingNode, Location]]:
    runs = root.entries.get("runs")
    if runs is None or is_nothing(runs):
        return
    here = Location(file, root.lines["runs"], ("runs",))
    if not isinstance(runs, MappingNode):
        raise _no_run(runs, here)
    if len(runs.entries) > MAX_RUNS:
        raise here.error(f"There are {len(runs.entries)} runs.", hint=f"Give at most {MAX_RUNS}.")
    for name, over in runs.entries.items():
        there = here.below(name, runs.lines[name])
        if name == DEFAULT:
            raise there.error("The run default is the file without its runs.", hint="Give this run another name.")
        if not RUN_NAME.fullmatch(name) or len(name) > MAX_SHOWN_CHARS:
            raise there.error(
                f"'{name[:MAX_SHOWN_CHARS]}' cannot be the name of a run.",
                hint="Begin with a letter, and use only letters, digits, - and _.",
            )
        if not isinstance(over, MappingNode):
            raise _no_run(over, there)
        if "runs" in over.entries:
            raise there.below("runs", over.lines["runs"]).error(
                "A run cannot have runs of its own.", hint="Put all runs under the one key runs:."
            )
        yield name, over, there


def _no_run(node: YamlNode, here: Location) -> ScenarioError:
    return here.error(
        f"{shown(node)} is not a run.",
        hint="Under runs: each name has a mapping of what is different: `masked: {model: {mask: causal}}`.",
    )


class _RunReader:
    """Reads one run."""

    def __init__(self, file: str, run: str, tree: MappingNode) -> None:
        self.file, self.run, self.tree = file, run, tree

    def at(self, *keys: str | int) -> Location:
        return _location(self.file, self.run, self.tree, keys)

    def plan(self) -> Plan:
        entries = {key: node for key, node in self.tree.entries.items() if key != "calculate"}
        if not is_nothing(entries.get("vocabulary")):
            entries["vocabulary"] = self.vocabulary(entries["vocabulary"])
        if not is_nothing(entries.get("data")):
            entries["data"] = _without_arrows(entries["data"])
        tree = MappingNode(entries, self.tree.lines, self.tree.line)
        plan: Plan = read_record(Plan, tree, self.at(), also=("runs",))
        plan = replace(plan, calculate=self.calculate_lines(), given=self.given(plan))
        check_plan(plan, self.tree, self.at)
        return plan

    def vocabulary(self, node: YamlNode) -> MappingNode:
        """`A B`, [A, B], {tokens: ...} or {characters: ...}, all as {tokens: [...], unit: ...}."""
        line = self.at("vocabulary").line
        if not isinstance(node, MappingNode):
            node = MappingNode({"tokens": node}, {"tokens": line}, line)
        entries, lines = dict(node.entries), dict(node.lines)
        if not is_nothing(entries.get("characters")):
            for other in ("tokens", "unit"):
                if not is_nothing(entries.get(other)):
                    raise self.at("vocabulary", other).error(
                        f"The vocabulary has both characters and {other}.", hint="Keep one of the two."
                    )
            characters = entries["characters"]
            if isinstance(characters, ScalarNode):
                letters = (ScalarNode(letter, letter, characters.line) for letter in characters.text)
                characters = ListNode(tuple(letters), characters.line)
            line = lines["characters"]
            entries |= {"tokens": characters, "unit": ScalarNode("character", "character", line)}
            lines |= {"tokens": line, "unit": line}
        entries.pop("characters", None)
        for key in ("tokens", "special"):
            if key in entries and not is_nothing(entries[key]):
                entries[key] = _as_words(entries[key])
        return MappingNode(entries, lines, node.line)

    def calculate_lines(self) -> tuple[CalculateLine, ...]:
        """`calculate:` as a list of lines, or as a text below a | with a line per line."""
        node = self.tree.entries.get("calculate")
        if node is None or is_nothing(node):
            return ()
        here = self.at("calculate")
        texts: list[tuple[str, Location]] = []
        if isinstance(node, ScalarNode):
            first = node.line + node.block  # the text begins on the line below the |
            for number, text in enumerate(node.text.split("\n")):
                texts.append((text, replace(here, line=first + number if node.block else first)))
        elif isinstance(node, ListNode):
            for number, item in enumerate(node.items):
                there = here.below(number, item.line)
                if not isinstance(item, ScalarNode):
                    raise _no_line(item, there)
                texts.append((item.text, there))
        else:
            raise _no_line(node, here)
        found = []
        for text, there in texts:
            if text.split("#")[0].strip():
                with there.around():
                    found.append(parse_line(text, there.line))
        if not found:
            raise _no_line(node, here)
        return tuple(found)

    def given(self, plan: Plan) -> dict[str, GivenValue | GivenIds]:
        """The given values with their axes one by one, checked as far as possible without a model."""
        found = {}
        for name, value in plan.given.items():
            words = tuple(word for part in value.axes for word in part.split())
            numbers = value.value if isinstance(value, GivenValue) else value.ids
            with self.at("given", name).around():
                shape = check_matrix(numbers)
                if isinstance(value, GivenIds):
                    ids_of(numbers)
                if shape is None and plan.model is None:
                    raise shape_unknown(str(numbers)[:MAX_SHOWN_CHARS])
            if words:
                with self.at("given", name, "axes").around():
                    form_of(words, shape if shape is not None else (1,) * len(words))
            found[name] = replace(value, axes=words)
        return found


def _no_line(node: YamlNode, here: Location) -> ScenarioError:
    return here.error(
        f"{shown(node)} is not a line to calculate.",
        hint="Write a list of lines such as `- weights = softmax(scores)`, or one on each line below a |.",
    )


def _without_arrows(node: YamlNode) -> YamlNode:
    """An example may be a line with an arrow: `A B -> C` is {input: A B, target: C}."""
    if isinstance(node, ListNode):
        return ListNode(tuple(_without_arrows(item) for item in node.items), node.line)
    if not isinstance(node, ScalarNode) or ARROW not in node.text:
        return node
    parts = {key: text.strip() for key, text in zip(("input", "target"), node.text.split(ARROW, 1), strict=True)}
    entries: dict[str, YamlNode] = {key: ScalarNode(text, text, node.line) for key, text in parts.items()}
    return MappingNode(entries, dict.fromkeys(entries, node.line), node.line)


def _as_words(node: YamlNode) -> YamlNode:
    """Tokens are words, also where YAML reads a number or null; a text is split at its spaces."""
    if isinstance(node, ScalarNode):
        return ListNode(tuple(ScalarNode(word, word, node.line) for word in node.text.split()), node.line)
    if isinstance(node, ListNode):
        items = (replace(item, value=item.text) if isinstance(item, ScalarNode) else item for item in node.items)
        return ListNode(tuple(items), node.line)
    return node
