"""Elementary functions of SciPy: powers and their logarithms, Box and Cox's transformations, divergences, degrees."""

from __future__ import annotations

from wengert_special.table import scipy_row

for name, words in (
    ("cbrt", "The cube root, negative for negative numbers."),
    ("cosm1", "cos(self) - 1, precise near 0."),
    ("exp10", "10 ** self."),
    ("exprel", "(exp(self) - 1) / self, and 1 at 0."),
    ("log_expit", "The logarithm of the logistic sigmoid."),
    ("sindg", "The sine of an angle in degrees."),
    ("cosdg", "The cosine of an angle in degrees."),
    ("tandg", "The tangent of an angle in degrees."),
    ("cotdg", "The cotangent of an angle in degrees."),
):
    scipy_row(name, "x", words)
for name, parameters, words in (
    ("powm1", "x y", "x ** y - 1, precise where x ** y is near 1."),
    ("radian", "d m s", "Degrees, minutes and seconds in radians."),
    ("boxcox", "x lmbda", "Box and Cox's transformation (x ** lmbda - 1) / lmbda; log(x) where lmbda is 0."),
    ("boxcox1p", "x lmbda", "Box and Cox's transformation of 1 + x."),
    ("inv_boxcox", "y lmbda", "The inverse of boxcox by its first argument."),
    ("inv_boxcox1p", "y lmbda", "The inverse of boxcox1p by its first argument."),
    ("huber", "delta r", "Huber's loss: r ** 2 / 2 up to delta, linear beyond it."),
    ("pseudo_huber", "delta r", "Huber's loss made smooth: delta ** 2 * (sqrt(1 + (r / delta) ** 2) - 1)."),
    ("kl_div", "x y", "The terms x * log(x / y) - x + y of the Kullback-Leibler divergence."),
    ("rel_entr", "x y", "The terms x * log(x / y) of the relative entropy."),
):
    scipy_row(name, parameters, words)
