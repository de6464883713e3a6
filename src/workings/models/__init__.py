"""Computations that are ready to run."""

from . import sentences as sentences
