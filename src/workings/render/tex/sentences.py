"""The words about LaTeX that come from no document, under stable keys. See engine/sentences.py."""

from __future__ import annotations

from ..page.sentences import add_sentences, say

add_sentences("tex", {"unset": "The LaTeX has a question mark for signs that pdflatex lacks: {signs}."})

__all__ = ["say"]
