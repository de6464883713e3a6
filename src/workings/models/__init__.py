"""Computations that are ready to run: scenarios, presets, counts."""

from .counting import sentences as counting_sentences
from .learning import sentences as learning_sentences
from .reading import sentences as reading_sentences
from .running import sentences as running_sentences

__all__ = ["counting_sentences", "learning_sentences", "reading_sentences", "running_sentences"]
