# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.fishersnedecor import FisherSnedecor as FisherSnedecor

__all__ = [
    "FisherSnedecor"
]
