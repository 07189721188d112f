"""Kernels of tensors of the compressed layouts: functions of their components, without history."""
