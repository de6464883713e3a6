"""Pages about training: how losses were averaged, and what training changed."""

from . import sentences

__all__ = ["sentences"]
