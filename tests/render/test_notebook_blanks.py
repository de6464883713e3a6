"""Notebooks to be filled in: they run as they are, and with the true lines put back every step agrees."""

import re
from dataclasses import replace

import numpy
import pytest
from built_lessons import NAMES, each, written
from notebook_runs import code_cells, in_this_process, read, run_cell

import workings as w
from workings.document import blocks as d
from workings.document.blocks import Program, all_blocks
from workings.lessons.rewriting import rewritten
from workings.render.notebook.notebook import to_notebook
from workings.render.notebook.program_blanks import CodeBlank, KeptCode, blanked

# No matrix is computed in the first chapter, and it has no program.
WITHOUT_BLANKS = {"why-transformers"}


def sources(name):
    document = replace(written(name).document, form="blanks")
    return [cell.source for cell in code_cells(read(to_notebook(document)))]


def program_of(name):
    programs = [block for block in all_blocks(written(name).document.blocks) if isinstance(block, Program)]
    for program in programs:
        asked = {one.variable for one in program.equals if one.variable.isidentifier()}
        if program.language == "python" and asked and "torch" not in program.source:
            return program, asked
    return None, set()


def steps_agree(document):
    """How many of the steps that are left out agree, with the numbers that the lesson shows of them filled in."""
    shown = {}
    for block in all_blocks(document.blocks):
        if isinstance(block, d.Matrix) and block.code:
            shown.setdefault((block.step.rpartition(":")[0] or "default", block.code), block)
    names, runs, variable, count = {}, {"trace": "default"}, "", 0
    for source in [cell.source for cell in code_cells(read(to_notebook(replace(document, form="blanks"))))]:
        runs |= dict(re.findall(r'(\w+) = lesson\.trace\("(.*)"\)', source))
        if found := re.search(r'w\.compare\(\{"(.*)": (\w+)\}, to=(\w+)\)', source):
            assert found[2] == variable
            block = shown[runs[found[3]], f'["{found[1]}"]']
            names[variable] = numbers_of(block)
            run_cell(source, names)
            comparison = eval(source.splitlines()[-1], names)
            assert comparison.agrees, str(comparison)
            count += 1
        else:
            run_cell(source, names)
            variable = source.split(" = ")[0] if "# your code" in source else ""
    return count


def numbers_of(block):
    entries = [float(entry.value) for part in block.slices for row in part.rows for entry in row]
    return numpy.array(entries).reshape(block.shape)


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_it_runs_before_anything_is_filled_in(name):
    found = in_this_process(cells := sources(name))
    compared = [shown for source, shown in zip(cells, found, strict=True) if "w.compare(" in source]
    assert bool(compared) == (name not in WITHOUT_BLANKS)
    for shown in compared:
        assert "not filled in" in shown["text/plain"]


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_with_the_true_lines_every_step_agrees(name):
    program, asked = program_of(name)
    if program is None:
        assert bool(steps_agree(written(name).document)) == (name not in WITHOUT_BLANKS)
        return
    solutions = [part.solution for part in blanked(program.source, asked) if isinstance(part, CodeBlank)]
    names, compared = {}, set()
    for source in sources(name):
        if "  # your code" in source:
            source = solutions.pop(0)
        run_cell(source, names)
        if "w.compare(" in source:
            found = eval(source.splitlines()[-1], names)
            assert found.agrees, str(found)
            compared |= {step.name for step in found.steps}
    assert not solutions
    assert compared == {one.name for one in program.equals if one.variable in asked}


def test_blank_notebook_contains_no_answers():
    text = to_notebook(replace(written("example-1").document, form="blanks"))
    assert "scores = Q @ K.T" not in text
    assert "import torch" not in text
    assert "it would give away the answers" in text
    assert '"scaled = ...  # your code: a key has two entries"' in text
    assert '"w.compare({\\"scaled\\": scaled}, to=trace)"' in text
    assert '"Q = ...  # your code"' in text


def test_name_changed_in_place_is_one_blank():
    parts = blanked("n = 3\nx = [0] * n\nx[1] = n  # the middle\ny = sum(x)\nprint(y)\nprint(n)\n", {"x", "y"})
    assert [type(part) for part in parts] == [KeptCode, CodeBlank, CodeBlank, KeptCode]
    assert parts[1].names == (("x",),)
    assert parts[1].remarks == ("the middle",)
    assert parts[1].solution == "x = [0] * n\nx[1] = n  # the middle"
    assert parts[3].source == "print(n)"


def test_what_a_blank_assigns_too_is_left_out():
    parts = blanked("y, first = f()\nprint(first[0])\nz = first[0]\nn = 1\n", {"y"})
    assert [type(part) for part in parts] == [CodeBlank, KeptCode, CodeBlank]
    assert parts[0].names == (("y", "first"),)
    assert parts[2].names == (("z",),)


def test_code_that_reads_variables_by_name_is_left_out():
    parts = blanked('y = 2\nfor name in ("y",):\n    print(globals()[name])\nz = eval("y")\n', {"y"})
    assert [part.names for part in parts] == [(("y",),), (("z",),)]
    [part] = blanked("for n in range(2):\n    print(n)\n", {"y"})
    assert isinstance(part, KeptCode)


def test_a_name_that_is_made_twice_is_compared_when_it_is_done():
    parts = blanked("x = 1\nfor n in range(3):\n    x = x + n\n", {"x"})
    assert [part.checked for part in parts] == [("x",)]


def test_program_that_uses_the_names_of_the_notebook_has_no_blanks():
    equal = d.Equal("x", "default:1", "x")
    programs = {
        "x = 1": True,
        "w = 1\nx = w": False,
        "import torch\nx = 1": False,
        "from torch import tensor\nx = 1": False,
        "import torch.nn as nn\nx = 1": False,
        "# import torch would do it too\nx = 1": True,
    }
    for source, is_asked in programs.items():
        document = d.Document("", (d.Program("python", source, equals=(equal,)),), code="pass", form="blanks")
        assert ("x = ...  # your code" in to_notebook(document)) == is_asked


def test_functions_stay_unless_they_read_what_is_left_out():
    parts = blanked("def f(x):\n    y = x\n    return y\ny = f(2)\ndef g():\n    return y\nz = g()\n", {"y"})
    assert [type(part) for part in parts] == [KeptCode, CodeBlank, CodeBlank]
    assert parts[2].names == (("g",), ("z",))


def test_a_lesson_without_a_program_asks_for_the_steps_that_it_shows(works, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shares.md").write_text("---\ntitle: Shares\nscenario: example-1\n---\n:::{step} scores\n:::\n")
    works("lesson", "shares.md", "--format", "ipynb", "--blanks", "-o", "x.ipynb")
    cells = [cell.source for cell in code_cells(read((tmp_path / "x.ipynb").read_text()))]
    assert cells[1:] == ["scores = ...  # your code", 'w.compare({"scores": scores}, to=trace)']
    in_this_process(cells)


def test_steps_of_any_name_can_be_filled_in():
    number = d.Number("2", 2, "1", ())
    part = d.MatrixSlice((), ((number,),))
    names = ["lambda", "block1.scores", "block2.scores", "max", "trace", "x²"]
    blocks = []
    for n, name in enumerate(names):
        formula = d.Formula(d.Math("x", "x", "x", "x"))
        blocks += [formula, d.Matrix(name, f"default:{n}", (), (), (part,), code=f'["{name}"]')]
    notebook = read(to_notebook(d.Document("", tuple(blocks), code="pass", form="blanks")))
    blanks = [cell.source for cell in code_cells(notebook) if "# your code" in cell.source]
    assert [source.split(" = ")[0] for source in blanks] == [
        "my_lambda", "scores", "my_scores", "my_max", "my_trace", "x_",
    ]  # fmt: skip
    for source in blanks:
        compile(source, "cell", "exec")


def test_the_numbers_that_a_lesson_shows_fill_its_blanks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = [":::{step} scores\n:::", ":::{step} weights\n:run: twin\n:::", ":::{step} dW_V\n:run: twin\n:::"]
    head = "---\ntitle: Shares\nscenario: example-3\n---\n"
    (tmp_path / "shares.md").write_text(head + "\n\n".join(steps) + "\n")
    document = w.lesson("shares.md").document
    assert steps_agree(document) == 3

    def off(part):
        return replace(part, value=float(part.value) + 0.001) if isinstance(part, d.Number) else part

    with pytest.raises(AssertionError, match="different"):
        steps_agree(rewritten(document, off))


def test_blanks_are_for_notebooks(fails):
    assert "Only a notebook has blanks, not the format md." in fails(
        "lesson", "example-1", "--format", "md", "--blanks"
    )


def test_a_lesson_of_the_package_has_blanks_too(works, tmp_path):
    works("lesson", "example-1", "--blanks", "-o", tmp_path / "x.ipynb")
    assert "scores = ...  # your code" in [cell.source for cell in code_cells(read((tmp_path / "x.ipynb").read_text()))]
