"""Numbers that move: data, losses averaged, updates, and the loop that repeats them."""
