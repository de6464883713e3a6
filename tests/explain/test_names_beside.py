"""Two steps of one name on one line are told apart by their paths."""

import workings as w
from workings.explain.document import plain_text
from workings.explain.step import title_of


def test_heads_are_told_apart():
    trace = w.scenario("hello-world").trace()
    joined = trace["joined"]
    assert plain_text(title_of(trace.recording, joined.step)) == "joined = concat(head1.context, head2.context)"
    assert str(joined.cell(0, 3)).startswith("joined[0][3] = head2.context[0][1] = ")
    assert joined.formula.count("head1.context") == joined.formula.count("head2.context") == 1


def test_a_residual_is_told_apart_from_the_one_that_it_adds_to():
    residual = w.scenario("example-6").trace()["block2.attention.residual"]
    assert str(residual.cell(0, 0)).startswith("residual[0][0] = feed_forward.residual[0][0] + context[0][0]")


def test_names_that_differ_stay_short():
    trace = w.scenario("example-6").trace()
    assert str(trace["block2.attention.Q"].cell(0, 0)).startswith("Q[0][0] = normed[0] · W_Q[:,0]")
