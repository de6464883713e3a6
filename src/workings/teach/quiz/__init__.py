"""The quiz: one step at a time, with hints that come from the op pages, and each step from true numbers."""
