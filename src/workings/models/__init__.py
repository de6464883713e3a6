"""Computations that are ready to run."""
