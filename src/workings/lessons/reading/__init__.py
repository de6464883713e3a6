"""The text of a lesson, taken apart."""
