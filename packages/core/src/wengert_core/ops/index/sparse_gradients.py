"""Sparse gradients: ops that have them need a package that brings sparse tensors."""

from __future__ import annotations

from typing import Any


def sparse_constructor(name: str, argument: str) -> Any:
    """A function (indices, values, size) that makes a sparse gradient. NotImplementedError where no package brings
    one.
    """
    from wengert_core.layouts.lookup import plugin_called  # with the first sparse gradient

    try:
        return plugin_called("sparse_coo").sparse_gradient
    except NotImplementedError as error:
        raise NotImplementedError(
            f"{name}: {argument}=True gives a sparse gradient, but {error}; pip install 'wengert[sparse]', or leave "
            f"{argument}=False"
        ) from None
