"""Documents as notebooks, and as what a cell of a notebook shows."""
