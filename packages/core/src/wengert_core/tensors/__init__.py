"""Tensor and Storage: how they are made, shared and freed, and their lazy attributes."""
