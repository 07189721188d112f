"""Batching rules of searching: positions in sorted rows, membership."""

from __future__ import annotations

import math
from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import flat, sample_shape


@rule("_searchsorted")
def batch_searchsorted(call: Call) -> Any:
    """One row of boundaries serves all dims of a sample, several serve the values in their own rows."""
    alone = not call.batched["sorted_sequence"] and not (call["sorter"] is not None and call.batched["sorter"])
    if alone and call["sorted_sequence"].dim() == 1:
        return call.run()
    changes = {"sorted_sequence": call.expanded("sorted_sequence"), "self": call.expanded("self")}
    if call["sorter"] is not None:
        changes["sorter"] = call.expanded("sorter")
    shape = sample_shape(call, "self")
    if call.rank("sorted_sequence") == 1:
        changes["self"] = changes["self"].reshape(call.size, math.prod(shape))
    return call.run(**changes).reshape(call.size, *shape)


@rule("_isin")
def isin(call: Call) -> Any:
    """Each element beside each that is tested for."""
    if not call.batched["test_elements"]:
        return call.run()
    shape = sample_shape(call, "self")
    x = call.expanded("self").reshape(call.size, math.prod(shape), 1)
    found = (x == flat(call, "test_elements").unsqueeze(1)).any(2).reshape(call.size, *shape)
    return found.logical_not() if call["invert"] else found
