"""Conventions: the six profiles and their facts, what they do differently, and what pages say of them."""

import dataclasses
import inspect
import itertools
import math

import pytest
import torch
from loops import for_each
from torch.nn import functional

import workings as w
from workings import ops
from workings.cli.main import main
from workings.conventions import CHOICES, PROFILES, Convention, choices, convention, settings_from, subject, words
from workings.engine.errors import CallError, ConventionError
from workings.engine.op import OPS
from workings.engine.page import Example
from workings.engine.settings import BELOW_ONE

PAIRS = list(itertools.product(PROFILES, repeat=2))
PAGES = [name for name, op in OPS.items() if op.page.conventions]
FOLLOWING = [name for name in PAGES if settings_from(OPS[name], PROFILES["pytorch"])]

# What each of them is known to do, as its paper or its program has it.
FACTS = {
    "paper": {
        "norm_place": "post", "norm_correction": 0, "norm_epsilon": 1e-6, "norm_epsilon_place": "inside",
        "activation": "relu", "position": "interleaved", "attention_scale": "head", "biases": "feed_forward",
        "tied_embeddings": True,
    },
    "pytorch": {
        "norm_place": "post", "norm_correction": 0, "norm_epsilon": 1e-5, "norm_epsilon_place": "inside",
        "activation": "relu", "attention_scale": "head", "loss_reduction": "mean", "biases": "all",
        "tied_embeddings": False,
    },
    "gpt2": {
        "norm_place": "pre", "norm_correction": 0, "norm_epsilon": 1e-5, "norm_epsilon_place": "inside",
        "activation": "gelu_tanh", "position": "learned", "attention_scale": "head", "loss_reduction": "mean",
        "biases": "all", "tied_embeddings": True,
    },
    "bert": {
        "norm_place": "post", "norm_correction": 0, "norm_epsilon": 1e-12, "norm_epsilon_place": "inside",
        "activation": "gelu", "position": "learned", "attention_scale": "head", "loss_reduction": "mean",
        "biases": "all", "tied_embeddings": True,
    },
    "annotated": {
        "norm_place": "pre", "norm_correction": 1, "norm_epsilon": 1e-6, "norm_epsilon_place": "outside",
        "activation": "relu", "position": "interleaved", "attention_scale": "head", "biases": "all",
        "tied_embeddings": False,
    },
    "seed": {
        "norm_place": "pre", "norm_correction": 0, "norm_epsilon": 1e-6, "norm_epsilon_place": "inside",
        "attention_scale": "head", "loss_reduction": "mean", "biases": "feed_forward", "tied_embeddings": False,
    },
}  # fmt: skip


# -- the profiles --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FACTS)
def test_a_profile_has_its_facts(name):
    profile = convention(name)
    assert profile.profile == name
    assert {field: getattr(profile, field) for field in FACTS[name]} == FACTS[name]


def test_the_six_profiles_are_there_and_all_different():
    assert set(PROFILES) == set(FACTS)
    chosen = [tuple(getattr(profile, field) for field in CHOICES) for profile in PROFILES.values()]
    assert len(set(chosen)) == 6


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_frozen_and_made_of_choices_that_there_are(name):
    profile = PROFILES[name]
    with pytest.raises(dataclasses.FrozenInstanceError):
        profile.activation = "gelu"
    for field in CHOICES:
        assert getattr(profile, field) in choices(field)
    assert convention(name) == profile
    assert hash(convention(name)) == hash(profile)


def default(function, parameter):
    return inspect.signature(function).parameters[parameter].default


def test_the_profile_of_pytorch_is_what_pytorch_does():
    profile = PROFILES["pytorch"]
    assert (
        profile.norm_epsilon == torch.nn.LayerNorm(3).eps == default(torch.nn.TransformerEncoderLayer, "layer_norm_eps")
    )
    assert (profile.norm_place == "pre") == default(torch.nn.TransformerEncoderLayer, "norm_first")
    assert (profile.norm_place == "pre") == default(torch.nn.Transformer, "norm_first")
    assert (profile.biases == "all") == default(torch.nn.TransformerEncoderLayer, "bias")
    assert profile.loss_reduction == default(functional.cross_entropy, "reduction")
    layer = torch.nn.TransformerEncoderLayer(4, 2, 6)
    biases = (layer.self_attn.in_proj_bias, layer.self_attn.out_proj.bias, layer.linear1.bias, layer.linear2.bias)
    assert all(bias is not None for bias in biases)


def test_pytorch_uses_relu_and_its_gelu_is_exact_unless_told_otherwise():
    x = torch.linspace(-3, 3, 13, dtype=torch.float64)
    exact = x * (1 + torch.erf(x / math.sqrt(2))) / 2
    assert torch.allclose(functional.gelu(x), exact, rtol=0, atol=1e-15)
    assert not torch.allclose(functional.gelu(x, approximate="tanh"), exact, rtol=0, atol=1e-6)
    assert torch.nn.TransformerEncoderLayer(4, 1).activation is functional.relu
    assert PROFILES["pytorch"].activation == "relu"
    assert torch.nn.GELU().approximate == "none"


def test_layer_norm_of_pytorch_divides_by_n_with_epsilon_under_the_root():
    x = torch.tensor([[0.1, -0.2, 0.4, 0.3]], dtype=torch.float64)
    divisor = (x.var(dim=-1, correction=0, keepdim=True) + 1e-5).sqrt()
    assert torch.allclose(functional.layer_norm(x, (4,)), (x - x.mean()) / divisor, rtol=0, atol=1e-14)
    assert (PROFILES["pytorch"].norm_correction, PROFILES["pytorch"].norm_epsilon_place) == (0, "inside")


def test_attention_of_pytorch_divides_by_the_root_of_the_head_size():
    torch.manual_seed(3)
    Q, K, V = (torch.randn(2, 3, 2, dtype=torch.float64) for _ in range(3))  # two heads of size 2
    weights = (Q @ K.mT / math.sqrt(2)).softmax(dim=-1)
    assert torch.allclose(functional.scaled_dot_product_attention(Q, K, V), weights @ V, rtol=0, atol=1e-14)
    assert PROFILES["pytorch"].attention_scale == "head"


def test_the_pages_themselves_default_to_pytorch():
    """Whoever names no convention gets that of the library that judges."""
    for name in ("layer_norm", "cross_entropy", "positional_encoding"):
        op, followed = OPS[name], settings_from(OPS[name], convention())
        assert {setting: op.page.defaults[setting] for setting in followed} == followed
    assert convention() == PROFILES["pytorch"]


# -- differences ---------------------------------------------------------------------------------


@for_each(("one", "other"), PAIRS)
def test_differences_name_every_field_once_in_whole_sentences(one, other):
    first, second = PROFILES[one], PROFILES[other]
    found = first.differences(second)
    expected = [field for field in CHOICES if getattr(first, field) != getattr(second, field)]
    assert [difference.field for difference in found] == expected
    assert [difference.field for difference in second.differences(first)] == expected
    assert bool(found) == (one != other)
    for difference in found:
        sentence = str(difference)
        assert sentence[0].isupper()
        assert sentence.endswith(f" in {other}.")
        assert sentence.count(f" in {one}, ") == 1
        assert "{" not in sentence
        assert sentence.startswith(subject(difference.field) + " ")
        for side in (first, second):
            assert f" {words(difference.field, getattr(side, difference.field))} in {side.profile}" in sentence


def test_differences_of_a_profile_from_a_changed_one_are_the_changes():
    gpt2 = convention("gpt2")
    changed = gpt2.but(norm_place="post", activation="gelu")
    assert [difference.field for difference in gpt2.differences(changed)] == ["norm_place", "activation"]


# -- words and choices ---------------------------------------------------------------------------


@pytest.mark.parametrize("field", CHOICES)
def test_every_field_and_every_choice_has_words(field):
    assert subject(field)[0].isupper()
    told = [words(field, choice) for choice in choices(field)]
    assert len(told) >= 2
    assert len(set(told)) == len(told)
    assert not any(text.startswith("convention.") or "{" in text for text in told)


def test_the_choices_are_all_fields_but_the_name():
    assert list(CHOICES) == [field.name for field in dataclasses.fields(Convention)][1:]
    assert choices("tied_embeddings") == (False, True)
    assert set(choices("norm_epsilon")) == {1e-5, 1e-6, 1e-12}


@pytest.mark.parametrize("field", CHOICES)
def test_every_choice_can_be_made_and_only_those(field):
    for choice in choices(field):
        changed = convention("seed", **{field: choice})
        assert getattr(changed, field) == choice
        assert {f for f in CHOICES if getattr(changed, f) != getattr(PROFILES["seed"], f)} <= {field}
    assert getattr(PROFILES["seed"], field) == getattr(convention("seed"), field)


def test_a_convention_can_be_given_itself():
    gpt2 = convention("gpt2")
    assert convention(gpt2) == gpt2
    assert (
        convention(gpt2, tied_embeddings=False)
        == gpt2.but(tied_embeddings=False)
        == convention("gpt2", tied_embeddings=False)
    )
    assert convention("seed", norm_epsilon=0.25).norm_epsilon == 0.25


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [("gtp2", "gpt2"), ("BERT", "bert"), ("pytorh", "pytorch"), ("papers", "paper"), (["gpt2"], "gpt2")],
)
def test_an_unknown_profile_is_refused_with_the_nearest(name, near):
    with pytest.raises(ConventionError) as raised:
        convention(name)
    assert str(name) in raised.value.what
    assert raised.value.hint.startswith(f"Did you mean {near}?")
    assert all(profile in raised.value.hint for profile in PROFILES)


@pytest.mark.parametrize(
    ("field", "near"),
    [("norm_plcae", "norm_place"), ("epsilon", "norm_epsilon"), ("bias", "biases"), ("tied", "tied_embeddings")],
)
def test_an_unknown_field_is_refused_with_the_nearest(field, near):
    for make in (lambda: convention("seed", **{field: 1}), lambda: PROFILES["gpt2"].but(**{field: 1})):
        with pytest.raises(ConventionError) as raised:
            make()
        assert f"'{field}'" in raised.value.what
        assert raised.value.hint.startswith(f"Did you mean {near}?")
        assert all(known in raised.value.hint for known in CHOICES)


def test_the_name_of_a_profile_is_not_a_choice():
    with pytest.raises(ConventionError, match="no choice 'profile'"):
        convention("seed").but(profile="gpt2")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("norm_place", "before"), ("norm_correction", 2), ("norm_correction", True), ("norm_correction", "1"),
        ("norm_epsilon", -1e-5), ("norm_epsilon", 1.0), ("norm_epsilon", "1e-5"), ("norm_epsilon", True),
        ("norm_epsilon", math.nan), ("norm_epsilon", None), ("norm_epsilon_place", "under"), ("activation", "sigmoid"),
        ("position", "none"), ("attention_scale", None), ("loss_reduction", "none"), ("biases", True),
        ("tied_embeddings", 1), ("tied_embeddings", "yes"), ("activation", ["gelu"]),
    ],
)  # fmt: skip
def test_a_choice_that_there_is_not_is_refused_with_those_that_there_are(field, value):
    with pytest.raises(ConventionError) as raised:
        convention("seed", **{field: value})
    assert field in raised.value.what
    assert repr(value)[:60] in raised.value.what
    expected = [BELOW_ONE] if field == "norm_epsilon" else [str(choice) for choice in choices(field)]
    assert all(choice in raised.value.hint for choice in expected)


# -- pages ---------------------------------------------------------------------------------------


def test_several_pages_depend_on_conventions():
    assert set(PAGES) >= {"layer_norm", "relu", "gelu", "cross_entropy", "positional_encoding", "attention"}
    assert set(FOLLOWING) == set(PAGES) - {"relu", "gelu", "gelu_tanh", "attention"}


@for_each("name", PAGES)
def test_what_a_page_says_of_conventions_is_real(name):
    page = OPS[name].page
    for field, followed in page.conventions.items():
        assert field in CHOICES
        assert followed in page.settings or followed in choices(field)


@pytest.mark.parametrize("profile", PROFILES)
@for_each("name", PAGES)
def test_the_settings_of_a_convention_are_taken_by_the_op(name, profile):
    op = OPS[name]
    followed = settings_from(op, PROFILES[profile])
    if followed.get("layout") == "learned":
        with pytest.raises(CallError, match="layout of positional_encoding cannot be learned"):
            op(w.ids([0, 1]), size=4, **followed)
        return
    assert set(followed) <= set(op.page.settings)
    for example in op.page.examples:
        if not odd_width_in_halves(example, followed):
            with w.Trace() as trace:
                op(*(tensor(values) for values in example.inputs), **{**example.settings, **followed}, name="y")
            last = [step for step in trace if step.op == name or name == "attention"][-1]
            assert followed.items() <= last.settings.items()


def tensor(values):
    whole = all(isinstance(number, int) for number in flat(values.numbers))
    return (w.ids if whole else w.given)(values.numbers, " ".join(values.axes))


def flat(numbers):
    return [entry for part in numbers for entry in flat(part)] if isinstance(numbers, list) else [numbers]


def odd_width_in_halves(example: Example, followed):
    return followed.get("layout") == "concatenated" and example.settings["size"] % 2


def test_a_page_without_conventions_has_no_settings_from_them():
    assert settings_from(ops.softmax, PROFILES["gpt2"]) == {}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", FOLLOWING)
def test_a_page_under_a_convention_says_what_is_chosen_here_and_elsewhere(name, profile, capsys):
    if "position" in OPS[name].page.conventions and PROFILES[profile].position == "learned":
        assert main(["op", name, "--convention", profile]) == 2
        return
    assert main(["op", name, "--convention", profile]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    text = " ".join(printed.out.split())
    for field in OPS[name].page.conventions:
        here = getattr(PROFILES[profile], field)
        by_choice = {}
        for other, chosen in PROFILES.items():
            by_choice.setdefault(getattr(chosen, field), []).append(other)
        said = {choice: f"{words(field, choice)} ({', '.join(names)})" for choice, names in by_choice.items()}
        about = subject(field)
        assert f"{about} {said[here]}." in text
        rest = text.partition(f"{about} {said[here]}.")[2]
        elsewhere = [said[choice] for choice in by_choice if choice != here]
        assert rest.startswith(f" Elsewhere: {', '.join(elsewhere)}.") == bool(elsewhere)


@for_each("name", PAGES)
def test_a_page_names_its_own_choice_without_a_convention_too(name, capsys):
    assert main(["op", name]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Conventions" in text
    for field in OPS[name].page.conventions:
        assert f"{subject(field)} " in text


def test_an_epsilon_that_is_a_whole_number_has_words_too(capsys):
    (difference,) = PROFILES["seed"].differences(convention("seed", norm_epsilon=0))
    assert str(difference) == "The epsilon of layer norm is 1e-06 in seed, 0 in seed."
    assert main(["op", "layer_norm", "--epsilon", "0"]) == 0
    assert "The epsilon of layer norm is 0. Elsewhere:" in " ".join(capsys.readouterr().out.split())


def test_a_choice_that_no_profile_makes_is_said_all_the_same(capsys):
    assert main(["op", "layer_norm", "--epsilon", "0.25"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "The epsilon of layer norm is 0.25. Elsewhere: 1e-06 (paper, annotated, seed), 1e-05 (pytorch, gpt2)," in text
    )


def test_what_is_typed_stands_above_the_convention(capsys):
    assert main(["op", "layer_norm", "--convention", "annotated", "--epsilon", "0.1", "--format", "json"]) == 0
    text = capsys.readouterr().out
    assert '"epsilon": 0.1' in text
    assert '"correction": 1' in text


@pytest.mark.parametrize(
    ("words_typed", "said"),
    [
        (("layer_norm", "--convention", "gtp2"), "Did you mean gpt2?"),
        (("softmax", "--convention", "gpt2"), "softmax has no setting that a convention decides."),
        (("gelu", "--convention", "gpt2"), "gpt2 uses another op: gelu_tanh."),
        (("relu", "--convention", "bert"), "bert uses another op: gelu."),
    ],
)
def test_a_convention_that_does_not_help_is_refused(words_typed, said, capsys):
    assert main(["op", *words_typed]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err


def test_a_setting_that_no_convention_has_is_refused_by_the_op():
    x = w.given([[1.0, 2.0]], "token model")
    with pytest.raises(CallError):
        ops.layer_norm(x, w.given([1.0, 1.0], "model"), w.given([0.0, 0.0], "model"), place="under")
