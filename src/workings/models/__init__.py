"""Computations that are ready to run."""

from . import count_sentences as count_sentences
from . import run_sentences as run_sentences
from . import sentences as sentences
