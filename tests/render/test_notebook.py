"""Notebooks of lessons: they fit the format, read without running, and show the same when they are run."""

import ast
import json
import re

import pytest
from built_lessons import NAMES, each, written
from judge.rendered import unaccounted, without_tags
from notebook_runs import code_cells, in_a_kernel, in_this_process, read, shown

import workings as w
from workings.document import blocks as d
from workings.engine.errors import LessonError
from workings.render.notebook.notebook import to_notebook, variable_for
from workings.render.notebook.output import bundle, fragment, plain


def notebook_of(name):
    return read(to_notebook(written(name).document))


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_stored_output_is_what_the_cell_shows_when_run(name):
    cells = code_cells(notebook_of(name))
    found = in_this_process([cell.source for cell in cells])
    for cell, result in zip(cells, found, strict=True):
        assert shown(cell) == result, cell.source
    assert sum(map(bool, found)) >= 3


def test_a_notebook_runs_in_a_kernel(tmp_path):
    notebook = notebook_of("example-1")
    assert in_a_kernel(notebook, str(tmp_path)) == [shown(cell) for cell in code_cells(notebook)]


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_a_notebook_says_nothing_about_where_it_was_made(name):
    text = to_notebook(written(name).document)
    assert text == to_notebook(written(name).document)
    assert not re.search(r'"execution_count": \d', text)
    ids = [cell["id"] for cell in json.loads(text)["cells"]]
    assert len(set(ids)) == len(ids)
    assert 'w.lesson("/' not in text


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_no_number_of_a_notebook_is_made_up(name):
    document = written(name).document
    cells = notebook_of(name).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    below = [text for cell in cells if cell.cell_type == "code" for text in shown(cell).values()]
    page = "\n".join(prose + [without_tags(text) for text in below])
    assert unaccounted(page, json.loads(json.dumps(d.to_data(document))), repeats=True) == []


def test_code_is_short():
    sources = [cell.source for cell in code_cells(notebook_of("example-1"))]
    assert sources[0] == 'import workings as w\n\nlesson = w.lesson("example-1")\ntrace = lesson.trace()'
    assert 'trace["scores"]' in sources
    assert 'trace["scores"].cell(1, 1)' in sources
    assert 'twin = lesson.trace("twin")\ntwin["E"]' in sources
    assert 'twin["W_Q"]' in sources
    assert "lesson.figure(2)" in sources
    assert "lesson.checklist(1)" in sources


def test_answers_are_folded_and_hold_no_code():
    [cell] = [cell for cell in notebook_of("example-1").cells if "**Softmax by hand**" in cell.source]
    assert cell.cell_type == "markdown"
    answer = cell.source.partition("<details>\n<summary>Answer</summary>\n\n")[2]
    assert "```text\nroot = " in answer


def test_a_document_without_code_is_all_prose():
    matrix = d.Matrix("x", "1", (), (), (d.MatrixSlice((), ((d.Number("2", 2, "1", ()),),)),), code='["x"]')
    [cell] = read(to_notebook(d.Document("Page", (matrix,)))).cells
    assert cell.source == "# Page\n\n```text\nx\n2\n```"


def test_variables_are_names_of_python():
    number = d.Number("2", 2, "1", ())
    runs = ["by-hand", "demo.twin", "lesson", "class", "2nd", "by_hand"]
    blocks = [d.Matrix("x", f"{run}:1", (), (), (d.MatrixSlice((), ((number,),)),), code='["x"]') for run in runs]
    sources = [cell.source for cell in code_cells(read(to_notebook(d.Document("", tuple(blocks), code="pass"))))]
    assert [source.split(" = ")[0] for source in sources[1:]] == [
        "by_hand", "demo_twin", "trace_lesson", "trace_class", "trace_2nd", "trace_by_hand",
    ]  # fmt: skip


def test_a_variable_counts_on_until_it_is_free():
    assert variable_for("a.b", "trace", {"a_b", "trace_a_b"}) == "trace_a_b2"
    assert variable_for("a.b", "trace", {"a_b", "trace_a_b", "trace_a_b2"}) == "trace_a_b3"
    for text in ("lambda", "x²", "2", "sum", "", "a b\n", "日"):
        assert variable_for(text, "my", set()).isidentifier()
        assert variable_for(text, "my", set()) not in {"lambda", "sum"}


@pytest.mark.parametrize("name", ["it's.md", 'say "x".md', "back\\slash.md", "a);b(.md", "größe.md"])
def test_the_name_of_a_file_is_no_code(works, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("---\ntitle: Shares\nscenario: example-1\n---\n:::{step} scores\n:::\n")
    works("lesson", name, "--precision", "calculator 4 significant", "-o", "q.ipynb")
    sources = [cell.source for cell in code_cells(read((tmp_path / "q.ipynb").read_text(encoding="utf-8")))]
    [call] = [node for node in ast.walk(ast.parse(sources[0])) if isinstance(node, ast.Call) and node.args]
    assert ast.literal_eval(call.args[0]) == name
    assert len(in_this_process(sources)) == len(sources)


def test_the_title_of_a_fold_is_text():
    fold = d.Fold("`a<b` for $2 and $3 `alone", (d.Text((d.Words("x"),)),))
    [cell] = read(to_notebook(d.Document("", (fold,)))).cells
    summary = re.search("<summary>(.*)</summary>", cell.source)[1]
    assert "$" not in summary
    assert summary == "<code>a&lt;b</code> for <span>&#36;</span>2 and <span>&#36;</span>3 `alone"


# -- what a cell shows --------------------------------------------------------------------------------


def test_html_is_escaped_and_leads_nowhere():
    number = d.Number("2", 2, "twin:17", ())
    spans = (d.Words("<b> & "), number, d.Link("Q", "twin:4"))
    html = fragment(d.Document("a < b", (d.Text(spans),)))
    assert "&lt;b&gt; &amp; " in html
    assert "a &lt; b" in html
    assert "twin" not in html


def test_caption_is_not_faded_twice():
    html = w.lesson("example-1").trace()["scores"]._repr_html_()
    assert "<figcaption><small>query 2" in html
    assert ".workings figcaption small { opacity: 1;" in html


def test_a_figure_alone_is_a_picture():
    [figure, *_] = [block for block in d.all_blocks(written("example-1").document.blocks) if block.kind == "figure"]
    assert set(bundle(d.Document("", (figure,)))) == {"text/plain", "image/svg+xml"}
    assert figure._repr_html_() is None
    assert set(d.Document("Page", (figure,))._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_without_the_package_that_draws_a_figure_is_text(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    blocks = d.all_blocks(written("example-2").document.blocks)
    [bars, *_] = [block for block in blocks if block.kind == "figure" and block.form == "bars"]
    assert set(bars._repr_mimebundle_()) == {"text/plain"}


def test_plain_text_has_no_empty_lines_around_it():
    assert plain(d.Document("", (d.Text((d.Words("one"),)), d.Text((d.Words("two"),))))) == "one\n\ntwo"


def test_whatever_a_reader_holds_is_shown():
    lesson = w.lesson("example-1")
    trace = lesson.trace()
    held = [
        w.scenario("example-3"),
        lesson,
        trace,
        trace["P"],
        trace["P"].cell(2),
        lesson.checklist(1),
        lesson.document,
    ]
    for one in held:
        shown = one._repr_mimebundle_()
        assert shown["text/html"] == one._repr_html_()
        assert shown["text/plain"].strip()
        assert "\x1b" not in shown["text/plain"]
    assert "twin" in held[0]._repr_html_()


def test_a_part_that_is_not_there_is_refused():
    lesson = w.lesson("example-1")
    count = sum(isinstance(block, d.Figure) for block in d.all_blocks(lesson.document.blocks))
    with pytest.raises(LessonError, match=f"Take a number from 1 to {count}"):
        lesson.figure(count + 1)


def test_notebook_keeps_the_options_of_the_command():
    lesson = w.lesson("example-2", digits=3, precision="calculator 4 significant")
    assert 'w.lesson("example-2", digits=3, precision="calculator 4 significant")' in lesson.document.code
    assert lesson.trace()["scaled"].matrix().slices[0].rows[0][0].text == "0.007072"
    assert lesson.trace("nudge1.up").precision == "float64"
