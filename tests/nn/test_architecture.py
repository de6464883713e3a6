"""Architectures that cannot be built are refused before a weight is drawn, with the option and what fits."""

import dataclasses
import pickle
from typing import get_args, get_type_hints

import pytest

from workings import nn
from workings.engine.errors import CallError, WorkingsError
from workings.nn import Architecture


@pytest.mark.parametrize(
    ("options", "what", "details"),
    [
        ({"kind": "encoder-decoder"}, "blocks of an encoder-decoder have a feed-forward network", "hidden: 8"),
        ({"layers": 0}, "layers must be a whole number of at least 1", "layers=0"),
        ({"width": True}, "width must be a whole number of at least 1", "width=True"),
        ({"heads": 3}, "cannot be divided evenly among 3 heads", "2 and 4"),
        ({"heads": 2, "output_projection": False}, "2 results side by side, and W_O has to mix them", "one head"),
        ({"position": "learned"}, "A learned position table needs a number of rows.", "max_positions: 16"),
        ({"head": "classifier"}, "A classifier needs classes.", "classes: 2"),
        ({"head_size": 3, "output_projection": False}, "A residual connection adds the input (width 4)", "width 3"),
        ({"mask": "casual"}, "'casual' is not one of the choices for mask.", "Did you mean causal?"),
        ({"norm_correction": 2}, "'2' is not one of the choices for norm_correction.", "Choices: 0, 1."),
        ({"dropout": 1.0}, "dropout is a probability below 1.", "dropout=1.0"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options, what, details):
    with pytest.raises(WorkingsError) as raised:
        Architecture(**{"kind": "decoder", "vocab_size": 3, "width": 4, **options})
    assert what in raised.value.what
    assert details in str(raised.value)


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("hedas", "heads"), ("vocabulary", "vocab_size"), ("causal", "mask"), ("packed", "projections"),
        ("positions", "max_positions"), ("tied", "tied_embeddings"),
    ],
)  # fmt: skip
def test_unknown_and_old_options_are_refused_with_the_nearest_name(option, near):
    with pytest.raises(CallError) as raised:
        Architecture(kind="decoder", vocab_size=3, width=4, **{option: 2})
    assert raised.value.what == f"Architecture has no option '{option}'."
    assert raised.value.given == f"{option}=2"
    assert raised.value.hint.startswith(f"Did you mean {near}? Options of Architecture: kind, vocab_size, width, ")


def test_an_option_like_no_other_is_refused_without_a_guess():
    with pytest.raises(CallError) as raised:
        Architecture(kind="decoder", vocab_size=3, width=4, RENAMED={})
    assert raised.value.hint.startswith("Options of Architecture: kind, ")


def test_missing_and_repeated_arguments_are_explained():
    with pytest.raises(CallError, match="Architecture needs the argument 'width'"):
        Architecture(kind="decoder", vocab_size=3)
    with pytest.raises(CallError, match="Architecture gets 'kind' twice"):
        Architecture("decoder", 3, 4, kind="encoder")
    with pytest.raises(CallError, match="Architecture takes at most 30 positional arguments"):
        Architecture(*range(31))


def test_wrong_arguments_of_build_and_of_modules_are_explained():
    architecture = Architecture(kind="decoder", vocab_size=3, width=4)
    with pytest.raises(CallError, match=r"build has no option 'weigths'(.|\n)*Did you mean weights\?"):
        nn.build(architecture, weigths=nn.Drawn(7))
    with pytest.raises(CallError, match="build needs the argument 'weights'"):
        nn.build(architecture)
    with pytest.raises(CallError, match=r"LayerNorm has no option 'eps'(.|\n)*Did you mean epsilon\?"):
        nn.LayerNorm(None, None, eps=1e-5)


def test_every_field_has_a_line_in_the_help():
    lines = (Architecture.__doc__ or "").splitlines()
    documented = [line.split()[0] for line in lines if line.startswith("    ") and line[4:5].strip()]
    names = [field.name for field in dataclasses.fields(Architecture)]
    assert [name for name in documented if name in names] == names


def test_every_choice_is_named_in_the_help():
    described = " ".join((Architecture.__doc__ or "").split())
    for name, kind in get_type_hints(Architecture).items():
        for choice in get_args(kind):
            if name != "RENAMED" and isinstance(choice, str):
                assert choice in described, f"{name}: {choice}"


def test_architectures_can_be_pickled():
    architecture = Architecture(kind="encoder", vocab_size=3, width=4)
    assert pickle.loads(pickle.dumps(architecture)) == architecture
