"""Calls of scipy.stats."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from .client_calls import ClientCall
from .numpy_calls import of, varying

TO_NUMPY = "Can't call numpy() on Tensor that requires grad"


def call(name: str, *args: Any, **kwargs: Any) -> ClientCall:
    """Return a call of a function of scipy.stats."""
    return ClientCall(name, getattr(stats, name), *args, **kwargs)


def both(result: Any) -> Any:
    """Return the statistic and the p value of a result."""
    return result.statistic, result.pvalue


X, Y, Z = varying(9, seed=1), varying(8, seed=2), varying(7, seed=3)
TABLE = varying(6, 3, seed=4)
LONG, LONG2 = varying(25, seed=5), varying(25, seed=6)
COUNTS = of([12.0, 9.0, 16.0, 11.0])

CALLS = [
    # ---- summaries
    call("gmean", TABLE), call("gmean", X, weights=varying(9, seed=7)), call("hmean", TABLE, axis=1),
    call("pmean", TABLE, 2.5), call("pmean", X, -1, weights=varying(9, seed=7)),
    call("gstd", TABLE), call("gzscore", TABLE), call("zscore", TABLE), call("zscore", X, ddof=1),
    call("zmap", X, Y), call("sem", TABLE, ddof=1), call("skew", TABLE), call("skew", X, bias=False),
    call("kurtosis", TABLE), call("kurtosis", X, fisher=False, bias=False), call("variation", TABLE, ddof=1),
    call("moment", TABLE, 3), call("moment", X, [1, 2, 3], center=0.5),
    call("kstat", X, 3), call("kstat", X, 4), call("kstatvar", X, 2),
    call("lmoment", LONG, mutates=True, known="modified by an inplace operation"), call("lmoment", X, 2),
    call("describe", TABLE), call("mode", of([1.0, 2.0, 2.0, 3.0]), gradient=False),
    call("mode", of([1, 2, 2, 3])),
    call("tmean", X, (0.4, 1.5)), call("tvar", X, (0.4, 1.5), infinite=True),
    call("tstd", X, (0.4, 1.5), infinite=True), call("tsem", X, (0.4, 1.5), infinite=True),
    call("tmin", X, 0.5), call("tmax", X, 1.5), call("trim_mean", X, 0.2), call("sigmaclip", X, 1.5, 1.5),
    call("median_abs_deviation", TABLE), call("median_abs_deviation", X, scale="normal"), call("iqr", TABLE),
    call("iqr", X, rng=(10, 80)), call("quantile", TABLE, 0.3),
    call("quantile", X, of([0.2, 0.7]), known="forward AD with floor_divide"),
    call("entropy", TABLE), call("entropy", X, varying(9, seed=8)), call("differential_entropy", LONG),
    call("differential_entropy", LONG, method="vasicek"), call("differential_entropy", LONG, method="correa"),
    call("differential_entropy", LONG, method="ebrahimi"),
    call("circmean", TABLE), call("circvar", X), call("circstd", TABLE, axis=1), call("circmean", X, high=2, low=0),
    call("directional_stats", varying(5, 3, seed=9), result=lambda r: (r.mean_direction, r.mean_resultant_length)),
    call("boxcox_llf", 0.7, TABLE, mutates=True), call("boxcox_llf", 0, X), call("yeojohnson_llf", 0.7, TABLE),
    call("rankdata", X, gradient=False), call("rankdata", of([1.0, 2.0, 2.0, 0.0]), gradient=False),
    call("rankdata", TABLE, method="min", axis=0),
    # ---- tests
    call("ttest_1samp", TABLE, 0.8), call("ttest_1samp", X, 1.0, alternative="less"),
    call("ttest_1samp", X, 1.0, result=lambda r: tuple(r.confidence_interval())),
    call("ttest_ind", X, Y), call("ttest_ind", X, Y, equal_var=False), call("ttest_ind", TABLE, varying(5, 3), axis=0),
    call("ttest_ind", X, Y, alternative="greater"),
    call("ttest_ind", X, Y, equal_var=False, result=lambda r: tuple(r.confidence_interval())),
    call("ttest_rel", LONG, LONG2),
    call("ttest_ind_from_stats", of(1.0), of(0.3), 12, of(1.4), of(0.4), 9),
    call("ttest_ind_from_stats", of(1.0), of(0.3), 12, of(1.4), of(0.4), 9, equal_var=False),
    call("f_oneway", X, Y, Z), call("f_oneway", TABLE, varying(4, 3), axis=0),
    call("f_oneway", X, Y, Z, equal_var=False),
    call("alexandergovern", X, Y, Z, result=both),
    call("bartlett", X, Y, Z), call("levene", X, Y, Z), call("levene", X, Y, Z, center="mean"),
    call("levene", LONG, LONG2, center="trimmed"), call("fligner", X, Y, Z, center="mean", gradient=False),
    call("ansari", X, Y, gradient=False),
    call("mood", LONG, LONG2, gradient=False), call("brunnermunzel", X, Y, gradient=False),
    call("kruskal", X, Y, Z, gradient=False), call("mannwhitneyu", X, Y, gradient=False),
    call("mannwhitneyu", X, Y, method="asymptotic", gradient=False),
    call("wilcoxon", LONG, LONG2, method="asymptotic", gradient=False),
    call("wilcoxon", X, varying(9, seed=8), gradient=False),
    call("friedmanchisquare", X, varying(9, seed=8), varying(9, seed=9), gradient=False),
    call("pearsonr", LONG, LONG2), call("pearsonr", TABLE, varying(6, 3, seed=5), axis=0),
    call("pearsonr", LONG, LONG2, mutates=True, result=lambda r: tuple(r.confidence_interval())),
    call("spearmanrho", LONG, LONG2, gradient=False), call("chatterjeexi", LONG, LONG2, gradient=False),
    call("chisquare", COUNTS), call("chisquare", COUNTS, of([11.0, 13.0, 14.0, 10.0]), sum_check=False),
    call("power_divergence", COUNTS, lambda_="log-likelihood"), call("power_divergence", COUNTS, lambda_=0.6),
    call("skewtest", LONG), call("kurtosistest", LONG), call("normaltest", LONG), call("jarque_bera", LONG),
    call("epps_singleton_2samp", LONG, LONG2, mutates=True),
    call("cramervonmises", LONG, lambda x: x / 2, result=both, refused=TO_NUMPY),
    call("cramervonmises_2samp", LONG, LONG2, method="asymptotic", gradient=False, result=both),
    call("ks_1samp", LONG, lambda x: x / 2, refused=TO_NUMPY),
    call("ks_1samp", LONG, lambda x: x / 2, method="asymp", refused=TO_NUMPY),
    *(call("combine_pvalues", of([0.1, 0.3, 0.02, 0.6]), method=method)
      for method in ("fisher", "pearson", "tippett", "stouffer", "mudholkar_george")),
    call("combine_pvalues", of([0.1, 0.3, 0.02]), method="stouffer", weights=of([1.0, 2.0, 3.0])),
    call("false_discovery_control", of([0.1, 0.3, 0.02, 0.6]), mutates=True),
    call("false_discovery_control", of([0.1, 0.3, 0.02, 0.6]), mutates=True, method="by"),
    # ---- resampling
    call("bootstrap", (LONG,), lambda x, axis: x.__array_namespace__().mean(x, axis=axis), n_resamples=40,
         rng=0, method="percentile", result=lambda r: (r.confidence_interval.low, r.standard_error)),
    call("monte_carlo_test", X, np.random.default_rng(0).normal, lambda x, axis:
         x.__array_namespace__().mean(x, axis=axis), n_resamples=20, vectorized=True, result=lambda r: r.statistic),
    call("permutation_test", (X, Y), lambda x, y, axis: x.__array_namespace__().mean(x, axis=axis)
         - x.__array_namespace__().mean(y, axis=axis), n_resamples=40, rng=0, vectorized=True,
         result=lambda r: (r.statistic, r.null_distribution)),
]
