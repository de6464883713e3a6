"""The command line."""

from . import sentences as sentences
