"""The machine: tensors with axis words, ops, the recording, replay, compile, backward.

Nothing in this folder imports an array library, and nothing in it knows of pages on a screen.
"""
