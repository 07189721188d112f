"""Devices by name or number, and the interface that a device plugin implements."""
