"""Documents as LaTeX."""
