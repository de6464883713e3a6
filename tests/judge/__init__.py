"""The judge of every printed number: it reads only JSON and rendered pages, and computes everything again in PyTorch.

Nothing in this folder but the tests imports the package.
"""
