"""Two steps with the same name on one line are distinguished by their paths."""

import workings as w
from workings.document.blocks import plain_text
from workings.explain.step_blocks import title_of


def test_steps_of_two_heads_show_their_head():
    trace = w.scenario("hello-world").trace()
    joined = trace["joined"]
    assert plain_text(title_of(trace.recording, joined.step)) == "joined = concat(head1.context, head2.context)"
    assert str(joined.cell(0, 3)).startswith("joined[0][3] = head2.context[0][1] = ")
    assert joined.formula.count("head1.context") == joined.formula.count("head2.context") == 1


def test_residual_shows_the_path_of_the_residual_it_adds_to():
    residual = w.scenario("example-6").trace()["block2.attention.residual"]
    assert str(residual.cell(0, 0)).startswith("residual[0][0] = feed_forward.residual[0][0] + context[0][0]")


def test_different_names_stay_short():
    trace = w.scenario("example-6").trace()
    assert str(trace["block2.attention.Q"].cell(0, 0)).startswith("Q[0][0] = normed[0] · W_Q[:,0]")
