"""A scenario file, from text to plans: YAML with its lines, records, matrices, lines of ops."""
