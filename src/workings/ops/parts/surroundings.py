"""The steps around a step that some mistakes read."""

from __future__ import annotations

from ...engine.site import Site


def positions_added(here: Site) -> dict[str, Site] | None:
    """The positions, if this step adds them: sines and cosines, or rows of a table in order."""
    found = [site for _, site in here.inputs() if site.is_a("positional_encoding", "lookup")]
    for site in reversed(found):
        if site.is_a("positional_encoding") or (len(found) > 1 and site.input("ids").counts_up()):
            return {"positions": site}
    return None


def last_terms(here: Site) -> dict[str, Site] | None:
    """The last term of a sum, and what was added up before it, if the step divides by the number of terms."""
    terms, before = 1, here.input("x")
    while before.is_a("add"):
        terms, before = terms + 1, before.input("a")
    is_mean = terms > 2 and terms == here.step.settings["divisor"]  # of two terms both means are the same
    total = here.input("x")
    return {"before": total.input("a"), "last": total.input("b")} if is_mean else None


def shares_of_tokens(here: Site) -> dict[str, Site] | None:
    """The weight of each token, if the step adds up losses whose weights sum to 1."""
    of_texts = here.input("x")
    counted = of_texts.input("x") if of_texts.is_a("sum") else None
    if counted is None or not counted.is_a("mul") or len(here.form.shape):
        return None
    return next(({"shares": site} for _, site in counted.inputs() if site.adds_up_to_one()), None)
