"""Kullback-Leibler divergences. Importing this registers all pairs of distributions that have a formula."""

from wengert_distributions.kl import between_families, infinite, multivariate, same_family  # noqa: F401
from wengert_distributions.kl.registry import _KL_REGISTRY, kl_divergence, register_kl

__all__ = ["_KL_REGISTRY", "kl_divergence", "register_kl"]
