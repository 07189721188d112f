"""Orthogonal polynomials under SciPy's names, for any real degree, and the associated Legendre functions."""

from __future__ import annotations

from wengert_special.table import of_integers, scipy_row

for name, parameters, words in (
    ("jacobi", "n alpha beta x", "Jacobi polynomial"),
    ("sh_jacobi", "n p q x", "Jacobi polynomial shifted to [0, 1]"),
    ("gegenbauer", "n alpha x", "Gegenbauer polynomial"),
    ("chebyt", "n x", "Chebyshev polynomial of the first kind"),
    ("chebyu", "n x", "Chebyshev polynomial of the second kind"),
    ("chebyc", "n x", "Chebyshev polynomial of the first kind on [-2, 2]"),
    ("chebys", "n x", "Chebyshev polynomial of the second kind on [-2, 2]"),
    ("sh_chebyt", "n x", "Chebyshev polynomial of the first kind shifted to [0, 1]"),
    ("sh_chebyu", "n x", "Chebyshev polynomial of the second kind shifted to [0, 1]"),
    ("legendre", "n x", "Legendre polynomial"),
    ("sh_legendre", "n x", "Legendre polynomial shifted to [0, 1]"),
    ("laguerre", "n x", "Laguerre polynomial"),
    ("genlaguerre", "n alpha x", "generalized Laguerre polynomial"),
    ("hermite", "n x", "physicists' Hermite polynomial"),
    ("hermitenorm", "n x", "probabilists' Hermite polynomial"),
):
    scipy_row(f"eval_{name}", parameters, f"The {words} of degree n.",
              reference=of_integers(f"eval_{name}", 0, always=name.startswith("hermite")))
scipy_row("lpmv", "m v x", "The associated Legendre function of order m and degree v.")
