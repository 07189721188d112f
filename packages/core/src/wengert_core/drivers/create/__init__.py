"""Drivers of ops that make tensors or fill them with random numbers."""
