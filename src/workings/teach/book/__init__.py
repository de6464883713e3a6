"""The book: all lessons one after the other, with answers and an index at the end."""

from .binding import bound, chapters

__all__ = ["bound", "chapters"]
