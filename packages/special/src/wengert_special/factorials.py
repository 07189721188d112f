"""The gamma function and its reciprocal, the beta function, binomial coefficients, rising factorials."""

from __future__ import annotations

from wengert_special.table import scipy_row

for name, words in (
    ("gamma", "The gamma function."),
    ("rgamma", "1 / gamma(self), 0 at the poles of gamma."),
    ("loggamma", "The logarithm of the gamma function, NaN below 0."),
    ("gammasgn", "The sign of the gamma function, whose derivative is 0."),
):
    scipy_row(name, "x", words)
for name, parameters, words in (
    ("beta", "a b", "The beta function gamma(a) * gamma(b) / gamma(a + b)."),
    ("betaln", "a b", "The logarithm of the absolute value of the beta function."),
    ("binom", "n k", "The binomial coefficient of real n and k."),
    ("poch", "z m", "The rising factorial gamma(z + m) / gamma(z)."),
):
    scipy_row(name, parameters, words)
