"""What a mistake is called on a page. Its id stays for good; a title may find a better word."""

from __future__ import annotations

WORDS = {"normalised": "normalized", "centred": "centered", "exchanged": "swapped", "slope": "derivative"}
TITLES = {
    "begun_too_late": "wrong start",
    "bell_not_divided": "density not divided",
    "direct_way": "direct path only",
    "entries_cut": "entries clipped",
    "error_turned": "error with the wrong sign",
    "input_above": "input in the numerator",
    "itself_hidden": "itself masked",
    "likeliest": "most likely class",
    "marks_added": "mask added",
    "marks_forgotten": "mask forgotten",
    "mask_turned": "mask inverted",
    "maximum_only_above": "maximum in the numerator only",
    "maximum_only_below": "maximum in the denominator only",
    "next_piece": "next part",
    "no_forgotten": "second term forgotten",
    "no_subtracted": "second term subtracted",
    "not_lowered": "exponent not reduced",
    "nothing_fades": "velocity not decayed",
    "one_ahead": "next token visible",
    "only_the_pull": "decay alone",
    "only_the_step": "step alone",
    "only_yes": "first term only",
    "own_left_out": "own term left out",
    "part_instead_of_rest": "beta instead of 1 - beta",
    "power_of_rest": "power of 1 - beta",
    "queries_hidden": "queries masked",
    "reads_hidden": "values before the activation",
    "rest_kept": "mask inverted",
    "rule_of_log_softmax": "gradient of log-softmax",
    "rule_of_softmax": "gradient of softmax",
    "same_for_no": "same term for both labels",
    "share_below": "area below x",
    "share_forgotten": "CDF forgotten",
    "share_only": "first term only",
    "shared_out": "divided up",
    "shares_forgotten": "probabilities forgotten",
    "sign_turned": "sign flipped",
    "two_kept": "factor 2 kept",
}


def mistake_title(name: str) -> str:
    """A mistake in a few words, from the last part of its id.

    >>> mistake_title("wrong_axis"), mistake_title("not_normalised"), mistake_title("sign_turned+rule")
    ('wrong axis', 'not normalized', 'sign flipped')
    """
    plain = name.replace("+rule", "")
    return TITLES.get(plain) or " ".join(WORDS.get(word, word) for word in plain.split("_"))
