"""Calls of functions of dtypes and memory."""

import numpy as np

from .numpy_calls import Call, of, varying

CALLS = [
    Call("can_cast", of([1, 2]), np.float64),
    Call("can_cast", of([1.5]), np.int64, casting="same_kind"),
    Call("result_type", of([1], np.int8), of([1.0], np.float32)),
    Call("result_type", of([1], np.int8), 3.5, np.float16),
    Call("min_scalar_type", of(200)),
    Call("min_scalar_type", of(-3.0)),
    Call("min_scalar_type", of([200])),
    Call("common_type", of([1]), of([1.0], np.float32)),
    Call("common_type", of([1.0], np.float32), np.ones(1, np.complex64)),
    Call("may_share_memory", varying(2), varying(2)),
    Call("shares_memory", varying(2), varying(2)),
]
