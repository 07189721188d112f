"""Collectives with derivatives: their ops, formulas and batching rules, and the checks of gradients over ranks."""
