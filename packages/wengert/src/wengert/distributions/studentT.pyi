# Written by tools/generate/module_stubs.py.
from wengert_distributions.continuous.student_t import StudentT as StudentT

__all__ = [
    "StudentT"
]
