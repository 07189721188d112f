"""Samples of the gamma and Dirichlet distributions, with derivatives by their parameters."""
