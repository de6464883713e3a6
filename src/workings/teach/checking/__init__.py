"""Somebody's numbers beside the true ones: where they part (compare), and how theirs came about (why)."""
