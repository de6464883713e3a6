"""Figures that are composed by hand: what is wrong with the data of each form, and what its words, its note and its
title must tell.
"""

from __future__ import annotations

from collections.abc import Callable

from .blocks import block_faults, of_block
from .matrices import Block, Faults
from .passes import mirror_faults, numbers_faults, of_mirror, of_numbers
from .products import (
    of_product,
    of_update,
    product_faults,
    product_noted,
    product_titled,
    update_faults,
    update_noted,
    update_titled,
)
from .rows import (
    attention_faults,
    attention_noted,
    attention_titled,
    of_attention,
    of_path,
    of_temperature,
    path_faults,
    path_noted,
    path_titled,
    temperature_faults,
    temperature_noted,
)
from .runs import Runs
from .told import Told

FAULTS: dict[str, Callable[[Block, Runs], Faults]] = {
    "attention": attention_faults,
    "block": block_faults,
    "mirror": mirror_faults,
    "numbers": numbers_faults,
    "path": path_faults,
    "product": product_faults,
    "temperature": temperature_faults,
    "update": update_faults,
}
IN_WORDS: dict[str, Callable[[Block, Runs], Told]] = {
    "attention": of_attention,
    "block": of_block,
    "mirror": of_mirror,
    "numbers": of_numbers,
    "path": of_path,
    "product": of_product,
    "temperature": of_temperature,
    "update": of_update,
}
IN_NOTE: dict[str, Callable[[Block, Runs, str], Told]] = {  # also from the note itself: whether it says which matrix
    "attention": attention_noted,
    "path": path_noted,
    "product": product_noted,
    "temperature": temperature_noted,
    "update": update_noted,
}
IN_TITLE: dict[str, Callable[[Block], Told]] = {
    "attention": attention_titled,
    "path": path_titled,
    "product": product_titled,
    "update": update_titled,
}
