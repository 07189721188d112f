"""Ops on tensors of other devices and layouts: interception, default devices, pinned memory, streams."""
