"""Dtypes and reductions as NCCL numbers them (nccl.h: ncclDataType_t, ncclRedOp_t), and those that it lacks."""

from __future__ import annotations

from wengert_distributed.reduce_op import RedOpType

BYTES = 0  # ncclInt8: memory that moves unchanged
DTYPES = {"int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "float16": 6, "float32": 7,
          "float64": 8}  # fmt: skip
OPS = {RedOpType.SUM: 0, RedOpType.PRODUCT: 1, RedOpType.MAX: 2, RedOpType.MIN: 3}
REDUCED_AS = {"int16": "int32", "uint16": "int32"}
BITWISE = {RedOpType.BAND: "bitwise_and", RedOpType.BOR: "bitwise_or", RedOpType.BXOR: "bitwise_xor"}
"""CuPy's functions of the reductions that NCCL lacks."""
