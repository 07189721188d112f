"""Reverse mode: from roots through the graph to gradients."""
