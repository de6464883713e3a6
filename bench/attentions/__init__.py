"""Attention as people write it in PyTorch: twelve that are broken, twelve that are right. None knows of workings.

Each takes the four matrices of a torch.nn.MultiheadAttention, is causal, and returns what its author would print
while looking for a bug: a dictionary of tensors.
"""
