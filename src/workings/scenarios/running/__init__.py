"""From a plan to what it computes: the model, its examples, its training, its text."""
