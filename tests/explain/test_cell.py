"""Hand calculations: the exact lines of one entry on a page."""

import pytest
from traces import heads, layer, long, small

import workings as w
from workings.document.blocks import plain_text
from workings.document.numbers import Style
from workings.engine.errors import EntryError
from workings.explain.cell import example_entry


def text(trace, name, *index, **options):
    return str(trace[name].cell(*index, **options))


def lines(*rows):
    return "\n".join(rows)


def test_scores_are_rows_of_queries_times_rows_of_keys():
    trace = small("attention-backward")
    assert text(trace, "scores", 1, 0) == "scores[1][0] = Q[1] · K[0] = 0.31×0.38 + 0.14×0.82 = 0.2326"
    assert text(trace, "Q", 1, 1) == "Q[1][1] = X[1] · W_Q[:,1] = (-0.3)×(-0.2) + 0.8×0.1 = 0.14"


def test_weights_are_worked_out_line_by_line():
    assert text(small("attention-forward"), "weights", 1, 1) == lines(
        "max = max(scaled[1]) = max(0.1645, -0.01711) = 0.1645",
        "s0 = scaled[1][0] − max = 0.1645 − 0.1645 = 0.0",
        "s1 = scaled[1][1] − max = (-0.01711) − 0.1645 = -0.1816",
        "e0 = e^(s0) = e^(0.0) = 1.0",
        "e1 = e^(s1) = e^(-0.1816) = 0.8339",
        "total = e0 + e1 = 1.0 + 0.8339 = 1.834",
        "weights[1][1] = e1 / total = 0.8339 / 1.834 = 0.4547",
    )


def test_a_copied_entry_says_where_it_comes_from():
    trace = small("attention-backward")
    assert text(trace, "X", 1, 0) == "X[1][0] = E[1][0] = -0.3"
    assert text(trace, "last", 1) == "last[1] = context[1][1] = 0.2261"
    assert text(trace, "dE", 1, 0) == "dE[1][0] = dX[1][0] = -0.1739"
    assert text(trace, "dE", 3, 1) == "dE[3][1] = 0.0"
    assert text(trace, "dcontext", 0, 0) == "dcontext[0][0] = 0.0"


def test_unnamed_transpose_is_skipped():
    trace = small("attention-backward")
    assert text(trace, "dweights", 1, 0) == (
        "dweights[1][0] = dcontext[1] · V[0] = 0.08931×0.36 + (-0.491)×0.84 = -0.3803"
    )
    assert text(trace, "dK_T", 0, 0) == "dK_T[0][0] = Q[:,0] · dscores[:,0] = 0.4×0.0 + 0.31×(-0.1196614) = -0.0371"


def test_the_gradient_of_a_weight_and_the_sum_of_all_that_flows_back():
    trace = small("attention-backward")
    assert text(trace, "dW_V", 1, 1) == ("dW_V[1][1] = X[:,1] · dV[:,1] = 0.2×(-0.2677) + 0.8×(-0.2233) = -0.2322")
    assert text(trace, "dX", 0, 0) == (
        "dX[0][0] = dX.via_V[0][0] + dX.via_K[0][0] + dX.via_Q[0][0] = -0.2312 + (-0.02656) + 0.0 = -0.2578"
    )


def test_the_update_is_two_lines():
    assert text(small("attention-training"), "E_new", 0, 0) == lines(
        "step = dE[0][0] × 0.1 = (-0.2578) × 0.1 = -0.02578",
        "E_new[0][0] = E[0][0] − step = 1.0 − (-0.02578) = 1.026",
    )


def test_the_gradient_of_a_bias_adds_up_its_repetitions():
    trace = layer()
    assert text(trace, "y", 1, 2) == "y[1][2] = h[1][2] + b[2] = -3.3 + 0.03 = -3.27"
    assert text(trace, "db", 0) == "db[0] = Σ dy[:,0] = 0.13333 + 0.0 + 0.13333 = 0.2667"
    assert text(trace, "db.unsummed", 0, 0) == "db.unsummed[0][0] = dy[0][0] = 0.1333"


def test_where_the_repetitions_are_products_they_are_shown_before_they_are_added_up():
    trace = layer()
    assert text(trace, "dgain.unsummed", 0, 0) == (
        "dgain.unsummed[0][0] = dscaled[0][0] × y[0][0] = 0.1111 × 0.96 = 0.1067"
    )
    assert text(trace, "dgain", 0) == "dgain[0] = Σ dgain.unsummed[:,0] = 0.10667 + 0.0 + 0.017778 = 0.1244"


def test_comparisons_have_square_brackets():
    assert text(layer(), "dscaled", 0, 0) == (
        "dscaled[0][0] = dr[0][0] · [scaled[0][0] > 0] = 0.1111 · [1.152 > 0] = 0.1111"
    )


def test_minus_comes_before_names_and_brackets():
    with w.Trace() as trace:
        x = w.given([0.7, -0.2], "key", name="x")
        w.ops.neg(x, name="y")
        w.ops.sigmoid(x, name="s")
    assert text(trace, "y", 0) == "y[0] = −x[0] = -0.7"
    assert text(trace, "y", 1) == "y[1] = −x[1] = −(-0.2) = 0.2"
    assert text(trace, "s", 0).splitlines()[1:4] == [
        "negative = max(0, −x[0]) = max(0, −0.7) = 0",
        "numerator = e^(−negative) = e^(−0) = 1.0",
        "other = e^(−positive) = e^(−0.7) = 0.49659",
    ]


def test_a_row_of_one_score_can_be_worked_out():
    with w.Trace() as trace:
        w.ops.softmax(w.given([[2.0]], "query key", name="x"), name="P")
    assert text(trace, "P", 0, 0).splitlines()[0] == "max = max(x[0][0]) = max(2) = 2"


def test_a_single_number_has_no_index():
    trace = layer()
    assert text(trace, "m") == lines(
        "total = Σ r = 1.152 + 0.0 + 0.0 + 2.096 + 1.635 + 0.192 + (3 smaller: 0.0) = 5.075",
        "m = total / 9 = 5.075 / 9 = 0.5639",
    )
    assert text(small("attention-backward"), "loss").splitlines()[-1] == "loss = log − s2 = 1.2824 − (-0.02417) = 1.307"


def test_leaf_says_where_its_value_comes_from():
    trace = small("attention-backward")
    assert text(trace, "W_Q", 0, 1) == "W_Q[0][1] = -0.2\na weight"
    assert text(trace, "tokens", 1) == "tokens[1] = 1\ngiven"
    assert text(trace, "target") == "target = 2\ngiven"
    assert text(trace, "dloss") == "dloss = 1\nupstream gradient of loss"


def test_tensors_of_four_axes_name_rows_and_columns_in_full():
    trace = heads()
    assert text(trace, "scores", 1, 0, 2, 1).startswith("scores[1][0][2][1] = Q[1][0][2] · K[1][0][1] = ")
    assert text(trace, "dV", 0, 1, 2, 0).startswith("dV[0][1][2][0] = weights[0,1,:,2] · dcontext[0,1,:,0] = ")
    assert text(trace, "weights", 0, 1, 2, 0).splitlines()[0].startswith("max = max(scaled[0][1][2]) = max(")
    assert text(trace, "dK", 1, 1, 2, 0).startswith("dK[1][1][2][0] = dK_T[1][1][0][2] = ")
    assert text(trace, "total").startswith("total = Σ context = ")


def test_whole_numbers_have_no_point_and_results_keep_their_digits():
    with w.Trace() as trace:
        w.ops.softmax(w.given([2.0, 1.0], "key", name="x"), name="P")
    assert text(trace, "P", 0) == lines(
        "max = max(x) = max(2, 1) = 2",
        "s0 = x[0] − max = 2 − 2 = 0",
        "s1 = x[1] − max = 1 − 2 = -1",
        "e0 = e^(s0) = e^(0) = 1",
        "e1 = e^(s1) = e^(-1) = 0.367879",
        "total = e0 + e1 = 1 + 0.367879 = 1.36788",
        "P[0] = e0 / total = 1 / 1.36788 = 0.7311",
    )


def test_a_scalar_added_to_itself_can_be_worked_out():
    with w.Trace() as trace:
        x = w.given(1.5, name="x")
        w.ops.add(x, x, name="y")
    assert text(trace, "y") == "y = x + x = 1.5 + 1.5 = 3"
    assert text(trace.backward("y"), "dx") == "dx = dx.via_y_a + dx.via_y_b = 1 + 1 = 2"


@pytest.mark.parametrize(
    ("name", "mistake", "index"),
    [
        ("r", "relu.absolute", (0, 1)),
        ("dscaled", "relu.mask_forgotten", (0, 1)),
        ("dW", "matmul.factors_exchanged", (0, 0)),
    ],
)
def test_a_step_that_a_mistake_replaced_shows_its_value_and_no_calculation(name, mistake, index):
    wrong = layer().replay(ops={name: mistake})
    cell = wrong[name].cell(*index)
    (line,) = cell.lines
    assert not line.forms
    assert line.value.value == wrong[name].value[index]
    assert cell.note == f"No hand calculation: this step was replaced by {mistake}."


def test_calculations_after_a_mistake_use_the_wrong_numbers():
    wrong = small("attention-backward").replay(ops={"scaled": "divide_by_root.not_divided"})
    assert text(wrong, "scaled", 1, 0).splitlines()[0] == "scaled[1][0] = 0.2326"
    assert text(wrong, "weights", 1, 0).startswith("max = max(scaled[1]) = max(0.2326, -0.0242) = 0.2326\n")


def test_a_long_sum_shows_its_largest_terms_and_the_rest():
    trace = long()
    (line,) = trace["c"].cell(0, 1).lines
    letters, numbers = (plain_text(form) for form in line.forms)
    assert letters == "a[0] · B[:,1]"
    assert numbers.count(" + ") == 6
    assert " + (506 smaller: " in numbers
    assert text(trace, "s", 0).startswith("s[0] = Σ B[:,0] = ")


def test_long_softmax_leaves_out_lines_that_lead_only_to_the_rest():
    cell = long()["p"].cell(4)
    symbols = [plain_text(line.left) for line in cell.lines]
    *_, total, last = (str(line) for line in cell.lines)
    assert len(symbols) < 20
    assert {"max", "s4", "e4", "total", "p[4]"} <= set(symbols)
    assert "(24 smaller) = " in total
    assert "(24 smaller: " in total
    for symbol in total.split(" = ")[1].split(" + ")[:-1]:
        assert symbol in symbols  # every term that is named is worked out above
    assert last.startswith("p[4] = e4 / total = ")
    assert cell.note == f"{63 - len(symbols)} lines not shown: they lead only to the rest of a sum."
    assert str(cell.lines[0]).endswith(", 24 more) = " + cell.lines[0].value.text)


def test_a_short_calculation_leaves_nothing_out():
    for name in ("weights", "dscaled", "dlogits", "loss"):
        view = small("attention-backward")[name]
        cell = view.cell(*(0 for _ in view.shape))
        assert not cell.note


@pytest.mark.parametrize("index", [(2, 0), (0, 2), (-3, 0)])
def test_index_out_of_range_error_gives_the_range(index):
    with pytest.raises(EntryError) as error:
        small("attention-backward")["scores"].cell(*index)
    assert "there are 2" in str(error.value)
    assert "attention.scores" in str(error.value)
    assert "from 0 to 1" in str(error.value)


@pytest.mark.parametrize("index", [(), (0,), (0, 0, 0)])
def test_an_entry_needs_a_position_on_each_axis(index):
    with pytest.raises(EntryError) as error:
        small("attention-backward")["scores"].cell(*index)
    assert "scores[0][0]" in str(error.value)


def test_negative_positions_count_from_the_end():
    view = small("attention-backward")["scores"]
    assert view.cell(-1, -2) == view.cell(1, 0)


def test_cell_can_show_more_digits():
    trace = small("attention-backward")
    assert text(trace, "scaled", 1, 0, digits=6).splitlines() == [
        "root = √(2) = 1.41421",
        "scaled[1][0] = scores[1][0] / root = 0.2326 / 1.41421 = 0.164473",
    ]


def test_a_decimal_comma_reaches_every_number():
    trace = w.Trace(style=Style(3, point=","), recording=small("attention-backward").recording)
    assert text(trace, "Q", 1, 1) == "Q[1][1] = X[1] · W_Q[:,1] = (-0,3)×(-0,2) + 0,8×0,1 = 0,14"


def test_the_entry_that_is_worth_calculating_is_large_and_made_of_many_numbers():
    with w.Trace() as trace:
        E = w.parameter([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "vocab model", name="E")
        w.ops.lookup(E, w.ids([2, 0, 2]), name="X")
    trace.backward("X", [[0.5, 0.1], [0.8, 0.1], [0.1, 0.7]])
    assert example_entry(trace.recording, trace["dE"].step) == (2, 1)
    assert text(trace, "dE", 2, 1) == "dE[2][1] = dX[0][1] + dX[2][1] = 0.1 + 0.7 = 0.8"
    scores = small("attention-backward")["scores"]
    assert example_entry(scores.trace.recording, scores.step) == (1, 0)


def test_steps_inside_a_composite_can_be_worked_out_too():
    trace = small("attention-backward")
    assert text(trace, "weights/exp", 1, 1) == "exp[1][1] = e^(sub[1][1]) = e^(-0.1816) = 0.8339"
    assert text(trace, "weights/total", 1, 0) == "total[1][0] = Σ exp[1] = 1.0 + 0.8339 = 1.834"
