"""Batching rules of Fourier transforms: over the next dims."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule


@rule("_fft_c2c", "_fft_r2c", "_fft_c2r")
def transform(call: Call) -> Any:
    return call.run(dim=call.dims(call["dim"], call.rank("self")))
