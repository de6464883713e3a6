"""The book: lessons one after the other, with what they leave for its end: answers, a bibliography and an index."""

from .binding import bound, own_chapter, own_names
from .plan import BookPlan, ChapterPlan, open_book, packaged_book

__all__ = ["BookPlan", "ChapterPlan", "bound", "open_book", "own_chapter", "own_names", "packaged_book"]
