"""More mistakes in PyTorch: those of the ops that work entry by entry, or along one row."""

ENTRIES = {}
ENTRY_RULES = {}
