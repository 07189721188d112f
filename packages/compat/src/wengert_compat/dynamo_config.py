"""wengert._dynamo.config: settings of PyTorch's compiler. They are kept, and change nothing: nothing is compiled.

Any name may be set; those below have PyTorch's values at first.

>>> import wengert as wg
>>> wg._dynamo.config.suppress_errors
False
>>> wg._dynamo.config.suppress_errors = True
>>> wg._dynamo.config.suppress_errors
True
>>> wg._dynamo.config.suppress_errors = False
"""

from typing import Any

suppress_errors = False
verbose = False
cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
assume_static_by_default = True
automatic_dynamic_shapes = True
dynamic_shapes = True
optimize_ddp = True
capture_scalar_outputs = False


class patch:
    """Context manager, and decorator, with other settings: keyword arguments, a dict, or a name and a value.

    >>> import wengert as wg
    >>> with wg._dynamo.config.patch(verbose=True):
    ...     pass
    """

    def __init__(self, arg1: Any = None, arg2: Any = None, **kwargs: Any) -> None:
        self.settings = {arg1: arg2} if isinstance(arg1, str) else {**(arg1 or {}), **kwargs}

    def __enter__(self) -> None:
        """Do nothing: no setting has an effect."""

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def __call__(self, function: Any) -> Any:
        return function
