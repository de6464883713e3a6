"""One thread for PyTorch: the arrays here are tiny, and several test processes share the machine."""

import torch

torch.set_num_threads(1)
