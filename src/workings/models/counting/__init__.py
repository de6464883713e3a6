"""Parameters, operations and memory of a model, from its own steps without numbers."""
