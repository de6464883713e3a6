"""The mutants are what they are meant to be, and the slow run leaves few of them alive."""

import subprocess
import sys

import pytest
from mutants import ROOT, changed_lines, is_left_alone, module_of, mutants_of, mutated_files, operators
from run import EXPLANATIONS, as_entry, listed_in
from tests_of_modules import SHARED_TESTS, TESTS_OF, files_about

PAGE = '''
"""A page with one of everything."""

from __future__ import annotations

SIZE = 3


class Half(Primitive):
    """0.5 times x, for 1 + 1."""

    @formula(r"y = 0.5 x")
    def forward(self, x: Literal[1], *, factor: int | None = 2) -> dict[str, 1 | 2]:
        share: float | None = x / factor
        return share if factor == 4 else -x

    example = Example(values([[0.5, -1.0]], "token model"), factor=7)
    more_examples = (Example(values(8)),)
'''


@pytest.fixture(scope="module")
def mutants():
    return list(mutants_of("src/workings/ops/half.py", PAGE))


def changes(mutants):
    return {(mutant.before, mutant.after) for mutant in mutants}


def test_operators_comparisons_numbers_and_decorators_are_changed(mutants):
    found = changes(mutants)
    assert ("share: float | None = x / factor", "share: float | None = x * factor") in found
    assert ("return share if factor == 4 else -x", "return share if factor != 4 else -x") in found
    assert ("return share if factor == 4 else -x", "return share if factor == 4 else x") in found
    assert ("return share if factor == 4 else -x", "return share if not factor == 4 else -x") in found
    assert ("SIZE = 3", "SIZE = 4") in {(before, after.replace("  ", " ")) for before, after in found}
    assert ('@formula(r"y = 0.5 x")', "") in found


def test_the_default_of_a_setting_counts(mutants):
    defaults = [mutant for mutant in mutants if mutant.before.startswith("def forward") and mutant.after]
    assert sorted(mutant.after.split("= ")[1].split(")")[0].strip() for mutant in defaults) == ["1", "3"]


def test_types_examples_and_sentences_are_left_alone(mutants):
    assert not [mutant for mutant in mutants if mutant.before.startswith(("example", "more_examples", '"""'))]
    assert not [mutant for mutant in mutants if "dict[str, 1 & 2]" in mutant.after or "Literal[2]" in mutant.after]
    assert not [mutant for mutant in mutants if "float & None" in mutant.after or "x: Literal[1], /" in mutant.after]


def test_a_mutant_is_python_and_another_program(mutants):
    for mutant in mutants:
        compile(mutant.source, "half.py", "exec")
        assert mutant.source != PAGE


def test_a_mutant_is_known_by_its_place_and_its_line_not_by_a_number(mutants):
    moved = list(mutants_of("src/workings/ops/half.py", f"\n\n{PAGE}"))
    assert moved == mutants
    assert [mutant.line + 2 for mutant in mutants] == [mutant.line for mutant in moved]
    assert {mutant.where for mutant in mutants} == {"the module", "Half.forward"}


def test_changed_lines_are_shown_without_their_surroundings():
    assert changed_lines("a\n  b\nc\n", "a\n  d\nc\n") == (2, "b", "d")
    assert changed_lines("a\nb\nc\n", "a\nc\n") == (2, "b", "")


def test_every_page_and_backward_are_mutated():
    modules = [module_of(file) for file in mutated_files()]
    assert {"workings.ops", "workings.ops.softmax", "workings.engine.backward"} <= set(modules)
    assert len(operators()) > 50
    assert callable(is_left_alone)


def test_every_module_with_tests_of_its_own_is_there_and_so_are_they():
    names = {module_of(file).rpartition(".")[2] for file in mutated_files()}
    assert sorted(set(TESTS_OF) - names) == []
    files = {file for module in names for file in files_about(module)} | set(SHARED_TESTS)
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_survivors_that_were_written_can_be_read_again(mutants, tmp_path):
    file = tmp_path / "alive.toml"
    file.write_text("\n\n".join(as_entry(mutant, 'it\'s "so"') for mutant in mutants), encoding="utf-8")
    assert listed_in(file) == dict.fromkeys(mutants, 'it\'s "so"')


def test_every_explanation_names_a_line_and_a_reason():
    """Whether its mutant is still made, and still alive, is seen by the slow run: to make them all takes minutes."""
    for mutant, reason in listed_in(EXPLANATIONS).items():
        assert len(reason.split()) > 3, mutant
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert " ".join(mutant.before.split()) in " ".join(text.split()), f"stale: {mutant}"


@pytest.mark.slow
def test_few_mutants_stay_alive_and_each_of_them_is_explained():
    done = subprocess.run(
        [sys.executable, ROOT / "tests/mutation/run.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
