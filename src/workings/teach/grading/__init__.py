"""Grading: answers beside what the trace gives, and what is said about them."""
