"""Ops on tensors of other devices: interception, default devices, pinned memory, streams."""
