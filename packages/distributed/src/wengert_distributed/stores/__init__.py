"""Stores of keys and values that ranks share while they find each other, as ``torch.distributed.Store``."""
