"""The steps around a step that some mistakes read."""

from __future__ import annotations

from ...engine.site import Site

NORMS = ("layer_norm", "rms_norm")


def positions_added(here: Site) -> dict[str, Site] | None:
    """The positions, if this step adds them: sines and cosines, or rows of a table in order."""
    found = [site for _, site in here.inputs() if site.is_a("positional_encoding", "lookup")]
    for site in reversed(found):
        if site.is_a("positional_encoding") or (len(found) > 1 and site.input("ids").counts_up()):
            return {"positions": site}
    return None


def embedding_added(here: Site) -> dict[str, Site] | None:
    """The rows of the tokens, if this step adds their positions."""
    added = positions_added(here)
    others = [site for _, site in here.inputs() if added and not site.is_same(added["positions"])]
    return {"embedded": others[0]} if others and others[0].is_a("lookup") else None


def is_position(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it takes the rows of the positions, which are then added."""
    added = (positions_added(site) for site in here.readers() if site.is_a("add"))
    return {} if any(found and found["positions"].is_same(here) for found in added) else None


def residual_slots(here: Site) -> tuple[str, str] | None:
    """Which input of a sum came in and which was made from it, if this is where a residual is added."""
    if not here.is_a("add"):
        return None
    for came_in, made in (("a", "b"), ("b", "a")):
        residual = here.input(came_in)
        whole = residual.is_data() and residual.form.shape == here.form.shape  # a weight may be used again too
        if whole and here.input(made).is_made_from(residual):
            return came_in, made
    return None


def residual_added(here: Site) -> dict[str, Site] | None:
    """The residual, if this is where one is added."""
    slots = residual_slots(here)
    return {"residual": here.input(slots[0])} if slots else None


def sublayer_output(here: Site) -> dict[str, Site] | None:
    """The output of the sublayer, if this is where a residual is added to it."""
    slots = residual_slots(here)
    return {"output": here.input(slots[1])} if slots else None


def residual_first(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if the first of the gradients that meet flows through a residual connection."""
    forward = here.input("parts1").rule_of()
    slots = residual_slots(forward) if forward is not None else None
    return {} if forward and slots and forward.input(slots[0]).step.id == here.step.twin else None


def three_paths(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if at least three gradients meet: of two, to leave out one is to keep one."""
    return {} if len(here.step.inputs) > 2 else None


def first_gradient(here: Site) -> dict[str, Site] | None:
    """The gradient of the first update of a weight, if this is the second."""
    before = here.input("W")
    second = before.is_a("sgd") and not before.input("W").is_a("sgd") and not here.is_member()
    return {"earlier": before.input("dW")} if second else None


def last_terms(here: Site) -> dict[str, Site] | None:
    """The last term of a sum, and what was added up before it, if the step divides by the number of terms."""
    terms, before = 1, here.input("x")
    while before.is_a("add"):
        terms, before = terms + 1, before.input("a")
    is_mean = terms > 2 and terms == here.step.settings["divisor"]  # of two terms both means are the same
    total = here.input("x")
    return {"before": total.input("a"), "last": total.input("b")} if is_mean else None


def token_weights(here: Site) -> dict[str, Site] | None:
    """The weight of each token, if the step adds up losses whose weights sum to 1."""
    found = _weighted_losses(here)
    return {"token_weights": found[1]} if found else None


def losses_of_tokens(here: Site) -> dict[str, Site] | None:
    """The loss of each token, of padding too, if the step adds them up with weights that sum to 1."""
    found = _weighted_losses(here)
    return {"losses": found[0]} if found else None


def _weighted_losses(here: Site) -> tuple[Site, Site] | None:
    """The losses that a step adds up, and the weight of each, if these sum to 1."""
    of_texts = here.input("x")
    counted = of_texts.input("x") if of_texts.is_a("sum") else None
    if counted is None or not counted.is_a("mul") or len(here.form.shape):
        return None
    one, other = (site for _, site in counted.inputs())
    return next((pair for pair in ((one, other), (other, one)) if pair[1].adds_up_to_one()), None)
