"""Simulated learners: how they fill in sheets, and how they are graded."""
