"""Collectives, sends and receives, as functions of tensors."""
