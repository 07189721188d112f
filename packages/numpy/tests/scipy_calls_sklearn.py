"""Calls of scikit-learn with array API dispatch, which needs SCIPY_ARRAY_API=1, too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import config_context, metrics
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, RidgeCV
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KernelCenterer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

from .client_calls import ClientCall, constant
from .numpy_calls import of, varying

TO_NUMBER = "UserWarning: Converting a tensor with requires_grad=True to a scalar"
RNG = np.random.default_rng(0)
X = of(RNG.normal(size=(30, 4)))
Y = constant(np.arange(30) % 3)
TARGET = of(RNG.normal(size=30))
POSITIVE, OTHER = varying(20, seed=1), varying(20, seed=2)
LABELS, GUESSES = constant(RNG.integers(0, 3, 20)), constant(RNG.integers(0, 3, 20))
TRUE, FLAGS, CHANCES = constant(LABELS.array % 2), constant(GUESSES.array % 2), varying(20, low=0.1, high=0.9)
ROWS, COLUMNS = varying(5, 4, seed=3), varying(4, 4, seed=4)


def call(name: str, function: Callable[..., Any], *args: Any, **options: Any) -> ClientCall:
    """Return a call with dispatch on."""

    @functools.wraps(function)
    def call_with_dispatch(*values: Any, **kwargs: Any) -> Any:
        with config_context(array_api_dispatch=True):
            return function(*values, **kwargs)

    return ClientCall(name, call_with_dispatch, *args, **options)


def transform(estimator: Callable[[], Any], **options: Any) -> ClientCall:
    """Return a call of an estimator's fit_transform."""
    made = estimator()
    return call(repr(made), lambda x: estimator().fit_transform(x), X, **options)


CALLS = [
    # ---- preprocessing
    transform(StandardScaler, mutates=True, infinite=True), transform(MinMaxScaler),
    transform(MaxAbsScaler),
    call("StandardScaler.inverse_transform", lambda x: StandardScaler().fit(x).inverse_transform(x), X, mutates=True,
         infinite=True),
    *(transform(functools.partial(Normalizer, norm=norm), mutates=True) for norm in ("l1", "l2", "max")),
    transform(lambda: PolynomialFeatures(2), mutates=True), transform(Binarizer, gradient=False),
    call("KernelCenterer", lambda x: KernelCenterer().fit_transform(x @ x.T), X),
    call("LabelEncoder", lambda y: LabelEncoder().fit_transform(y), Y),
    call("LabelBinarizer", lambda y: LabelBinarizer().fit_transform(y), Y),
    # ---- estimators
    *(transform(functools.partial(PCA, 2, svd_solver=solver), mutates=True) for solver in ("full",
        "covariance_eigh")),
    transform(functools.partial(PCA, 2, svd_solver="randomized", random_state=0, power_iteration_normalizer="QR"),
                mutates=True, derivative_rtol=1e-3),
    call("PCA variances", lambda x: PCA(2, svd_solver="full", whiten=True).fit(x).explained_variance_, X, mutates=True),
    call("LinearDiscriminantAnalysis.decision_function",
         lambda x, y: LinearDiscriminantAnalysis().fit(x, y).decision_function(x), X, Y, mutates=True),
    call("LinearDiscriminantAnalysis.predict_proba",
         lambda x, y: LinearDiscriminantAnalysis().fit(x, y).predict_proba(x), X, Y, mutates=True),
    call("Ridge.predict", lambda x, t: Ridge(solver="svd").fit(x, t).predict(x), X, TARGET),
    call("Ridge.coef_", lambda x, t: Ridge(solver="svd").fit(x, t).coef_, X, TARGET),
    call("RidgeCV", lambda x, t: RidgeCV().fit(x, t).predict(x), X, TARGET),
    call("RidgeClassifier", lambda x, y: RidgeClassifier(solver="svd").fit(x, y).decision_function(x), X, Y,
         mutates=True),
    call("GaussianNB", lambda x, y: GaussianNB().fit(x, y).predict_proba(x), X, Y),
    call("Nystroem", lambda x: Nystroem(n_components=5, random_state=0).fit_transform(x), X),
    call("LogisticRegression", lambda x, y: LogisticRegression().fit(x, y).coef_, constant(X.array), Y, rtol=1e-5),
    call("GaussianMixture", lambda x: GaussianMixture(2, init_params="random", random_state=0, tol=1e9).fit(x).means_,
         X,
         mutates=True),
    call("CalibratedClassifierCV", lambda x, y: CalibratedClassifierCV(
        LinearDiscriminantAnalysis(), method="temperature").fit(x, y).predict_proba(x), constant(X.array), Y,
         rtol=1e-4),
    call("train_test_split", lambda x, t: train_test_split(x, t, random_state=0), X, TARGET),
    call("cross_val_predict", lambda x, t: cross_val_predict(Ridge(solver="svd"), x, t), constant(X.array),
         constant(TARGET.array)),
    call("make_pipeline", lambda x, t: make_pipeline(
        StandardScaler(), PCA(3, svd_solver="full"), Ridge(solver="svd")).fit(x, t).predict(x), X, TARGET, mutates=True,
         infinite=True),
    # ---- distances and kernels
    *(call(name, getattr(pairwise, name), ROWS, COLUMNS, mutates="cosine" in name) for name in
      """euclidean_distances manhattan_distances cosine_similarity cosine_distances rbf_kernel linear_kernel
      polynomial_kernel sigmoid_kernel laplacian_kernel additive_chi2_kernel chi2_kernel pairwise_distances""".split()),
    *(call(name, getattr(pairwise, name), COLUMNS, varying(4, 4, seed=5), mutates="cosine" in name) for name in
      ("paired_euclidean_distances", "paired_cosine_distances", "paired_manhattan_distances")),
    # ---- metrics: of several outputs tensors, otherwise Python's numbers, with a warning where a history is lost
    *(call(name, getattr(metrics, name), ROWS, varying(5, 4, seed=6), multioutput="raw_values",
        mutates=True) for name in
      """r2_score mean_squared_error root_mean_squared_error mean_absolute_error mean_absolute_percentage_error
      explained_variance_score mean_squared_log_error root_mean_squared_log_error mean_pinball_loss""".split()),
    *(call(name, getattr(metrics, name), POSITIVE, OTHER, known=TO_NUMBER, gradient=False) for name in
      """r2_score mean_squared_error root_mean_squared_error mean_absolute_error mean_absolute_percentage_error
      max_error explained_variance_score mean_squared_log_error root_mean_squared_log_error mean_tweedie_deviance
      mean_gamma_deviance mean_poisson_deviance d2_tweedie_score d2_absolute_error_score mean_pinball_loss""".split()),
    call("median_absolute_error", metrics.median_absolute_error, POSITIVE, OTHER, refused="Can't call numpy()"),
    *(call(name, getattr(metrics, name), LABELS, GUESSES) for name in
      """accuracy_score zero_one_loss balanced_accuracy_score cohen_kappa_score hamming_loss
      confusion_matrix""".split()),
    call("matthews_corrcoef", metrics.matthews_corrcoef, LABELS, GUESSES, known="argument 'dtype' must be torch.dtype"),
    *(call(name, getattr(metrics, name), TRUE, FLAGS) for name in ("f1_score", "precision_score", "recall_score",
        "jaccard_score")),
    *(call(name, getattr(metrics, name), TRUE, CHANCES, known=TO_NUMBER,
        gradient=False) for name in ("brier_score_loss", "log_loss")),
    *(call(name, getattr(metrics, name), TRUE, CHANCES, gradient=False) for name in
      ("roc_curve", "roc_auc_score", "average_precision_score", "det_curve", "precision_recall_curve")),
]
