"""wengert-gradcheck: derivatives against finite differences, and what is wrong where they differ.

``wengert.autograd.gradcheck`` and ``gradgradcheck`` are mounted where torch's users look for them.
"""

from wengert_gradcheck.errors import GradcheckError
from wengert_gradcheck.formulas import check_formula
from wengert_gradcheck.gradcheck import gradcheck
from wengert_gradcheck.gradgradcheck import gradgradcheck

__version__ = "0.1.0"
__all__ = ["GradcheckError", "check_formula", "gradcheck", "gradgradcheck"]
