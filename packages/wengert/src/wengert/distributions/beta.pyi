# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.beta import Beta as Beta

__all__ = [
    "Beta"
]
