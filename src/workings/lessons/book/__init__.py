"""The book: all lessons one after the other, with answers and an index at the end."""

from .binding import OF_THE_BOOK, bound, chapters, own_chapter

__all__ = ["OF_THE_BOOK", "bound", "chapters", "own_chapter"]
