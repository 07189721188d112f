"""Distribution functions of SciPy: binomial, negative binomial, Poisson, gamma, chi-square, F, Student's t, normal."""

from __future__ import annotations

from wengert_special.table import of_integers, scipy_row

INTEGERS = {
    "bdtr": (1,), "bdtrc": (1,), "bdtri": (1,), "nbdtr": (0, 1), "nbdtrc": (0, 1), "nbdtri": (0, 1), "pdtri": (0,),
}
"""The places of arguments that are integers."""
for name, parameters, words in (
    ("bdtr", "k n p", "The binomial distribution function: floor(k) or fewer successes in n trials."),
    ("bdtrc", "k n p", "The binomial survival function: more than floor(k) successes in n trials."),
    ("bdtri", "k n y", "The probability p at which bdtr(k, n, p) is y."),
    ("nbdtr", "k n p", "The negative binomial distribution function: k or fewer failures before n successes."),
    ("nbdtrc", "k n p", "The negative binomial survival function."),
    ("nbdtri", "k n y", "The probability p at which nbdtr(k, n, p) is y."),
    ("pdtr", "k m", "The Poisson distribution function: floor(k) or fewer events where m are expected."),
    ("pdtrc", "k m", "The Poisson survival function."),
    ("pdtri", "k y", "The rate m at which pdtr(k, m) is y."),
    ("gdtr", "a b x", "The distribution function of the gamma distribution of rate a and shape b."),
    ("gdtrc", "a b x", "The survival function of the gamma distribution of rate a and shape b."),
    ("gdtria", "p b x", "The rate a at which gdtr(a, b, x) is p."),
    ("gdtrib", "a p x", "The shape b at which gdtr(a, b, x) is p."),
    ("gdtrix", "a b p", "The x at which gdtr(a, b, x) is p."),
    ("chdtr", "v x", "The chi-square distribution function for v degrees of freedom."),
    ("chdtrc", "v x", "The chi-square survival function for v degrees of freedom."),
    ("chdtri", "v p", "The x at which chdtrc(v, x) is p."),
    ("fdtr", "dfn dfd x", "The distribution function of the F distribution."),
    ("fdtrc", "dfn dfd x", "The survival function of the F distribution."),
    ("fdtri", "dfn dfd p", "The x at which fdtr(dfn, dfd, x) is p."),
    ("stdtr", "df t", "The distribution function of Student's t distribution."),
    ("stdtrit", "df p", "The t at which stdtr(df, t) is p."),
    ("owens_t", "h a", "Owen's T function."),
    ("ndtri_exp", "y", "The quantile of the standard normal distribution for the probability exp(self)."),
):
    whole = of_integers(name, *INTEGERS[name]) if name in INTEGERS else None
    scipy_row(name, parameters, words, reference=whole)
