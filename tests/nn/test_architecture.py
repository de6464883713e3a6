"""Architectures that cannot be built are refused before a weight is drawn."""

import pytest

from workings.engine.errors import WorkingsError
from workings.nn import Architecture


@pytest.mark.parametrize(
    ("choices", "key", "said"),
    [
        ({"kind": "encoder-decoder"}, "architecture.hidden", "hidden: 8"),
        ({"layers": 0}, "architecture.size", "layers must be a whole number of at least 1, and is 0"),
        ({"heads": 3}, "shape.heads", "2 and 4"),
        ({"heads": 2, "output_projection": False}, "architecture.heads", "W_O"),
        ({"position": "learned"}, "architecture.positions", "positions: 16"),
        ({"head": "classifier"}, "architecture.classes", "classes: 2"),
        ({"head_size": 3, "output_projection": False}, "architecture.residual", "width 4"),
    ],
)
def test_what_does_not_fit_together_is_refused(choices, key, said):
    with pytest.raises(WorkingsError) as raised:
        Architecture(**{"kind": "decoder", "vocabulary": 3, "width": 4, **choices})
    assert raised.value.key == key
    assert said in str(raised.value)
