"""Computations that are ready to run."""

from . import run_sentences as run_sentences
from . import sentences as sentences
