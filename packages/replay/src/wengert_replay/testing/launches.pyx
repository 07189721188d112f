"""Launches of tests, made of words: each on offsets in some bytes of memory.

``("add", n, a, b, out)``, ``("mul", ...)`` and ``("exp", n, a, out)`` on n float64; ``("scale", n, number, a, out)``;
``("sum", n, a, out)``; ``("move", nbytes, source, target)``; ``("store", bytes, target)``; ``("fill", n, number,
target)``; ``("row", n, row, matrix)``; ``("spread", rows, columns, matrix, vector, vector_is_row, out)``, a sum of a
matrix and a row or a column. Any other is a call.
"""
from libc.stdlib cimport calloc, malloc
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.extend cimport (FLOAT64, LAUNCH_ADD_ROW, LAUNCH_CALL, LAUNCH_FILL, LAUNCH_MOVE, LAUNCH_POINTWISE,
                                  LAUNCH_REDUCE, LAUNCH_STORE, OPERAND_CONSTANT, OPERAND_READ, OPERAND_UPDATED,
                                  OPERAND_WRITTEN, AddRowPlan, FillPlan, PointwisePlan, ReducePlan, StorePlan,
                                  find_reduction, npy_intp, resolve)

cdef dict PROVIDERS = {"add": [np.add], "mul": [np.multiply], "exp": ["exp", np.exp], "scale": [np.multiply]}


# ---- launches: what runs each, as a driver would

cdef int run_pointwise(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef npy_intp n = plan.shape[0]
    cdef int k
    for k in range(plan.n_in + 1):
        args[k], steps[k] = launch.data[k], plan.strides[k][0]
    plan.loop.fn(args, &n, steps, plan.loop.data)
    return 0


cdef int run_rows(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp n = plan.shape[1]
    cdef Py_ssize_t i
    cdef int k
    for i in range(plan.shape[0]):
        for k in range(3):
            args[k], steps[k] = launch.data[k] + i * plan.strides[k][0], plan.strides[k][1]
        plan.loop.fn(args, &n, steps, plan.loop.data)
    return 0


cdef int run_sum(Launch* launch) noexcept nogil:
    cdef ReducePlan* plan = <ReducePlan*> launch.plan
    plan.fn(launch.data[0], 1, 0, plan.n, plan.stride, launch.data[1], 0)
    return 0


cdef int run_move(Launch* launch) noexcept nogil:
    memcpy(launch.data[1], launch.data[0], launch.high[0])
    return 0


cdef int run_store(Launch* launch) noexcept nogil:
    memcpy(launch.data[0], (<StorePlan*> launch.plan).bytes, (<StorePlan*> launch.plan).nbytes)
    return 0


cdef int run_fill(Launch* launch) noexcept nogil:
    cdef Py_ssize_t i
    for i in range((<FillPlan*> launch.plan).shape[0]):
        memcpy(launch.data[0] + 8 * i, (<FillPlan*> launch.plan).number, 8)
    return 0


cdef int run_row(Launch* launch) noexcept nogil:
    cdef Py_ssize_t i
    for i in range((<AddRowPlan*> launch.plan).n):
        (<double*> launch.data[1])[i] += (<double*> launch.data[0])[i]
    return 0


cdef void add(Launch* launch, char* data, Py_ssize_t nbytes, int role) noexcept:
    cdef int k = launch.n_operands
    launch.data[k], launch.high[k], launch.role[k] = data, nbytes, <unsigned char> role
    launch.n_operands += 1


cdef int make_pointwise(Launch* launch, char* memory, tuple words) except -1:
    cdef PointwisePlan* plan = <PointwisePlan*> calloc(1, sizeof(PointwisePlan))
    cdef int k
    launch.plan, launch.kind, launch.run = plan, LAUNCH_POINTWISE, run_pointwise
    plan.n_in, plan.shape[0], plan.plain = len(words) - 3, words[1], True
    plan.ndim = plan.shape[0] != 1
    resolve(&plan.loop, PROVIDERS[words[0]], FLOAT64, plan.n_in, -1, -1)
    for k in range(plan.n_in + 1):
        plan.dtypes[k] = FLOAT64
        plan.strides[k][0] = 8 if plan.ndim else 0
        if words[0] == "scale" and k == 0:
            (<double*> plan.numbers[0])[0] = words[2]
            plan.strides[0][0] = 0
            add(launch, <char*> plan.numbers[0], 16, OPERAND_CONSTANT)
        else:
            add(launch, memory + <Py_ssize_t> words[2 + k], 8 * plan.shape[0],
                OPERAND_WRITTEN if k == plan.n_in else OPERAND_READ)
    return 0


cdef int make_strided(Launch* launch, char* memory, tuple words) except -1:
    cdef PointwisePlan* plan = <PointwisePlan*> calloc(1, sizeof(PointwisePlan))
    cdef Py_ssize_t rows = words[1], columns = words[2]
    cdef int k
    launch.plan, launch.kind, launch.run = plan, LAUNCH_POINTWISE, run_rows
    plan.n_in, plan.ndim, plan.shape[0], plan.shape[1] = 2, 2, rows, columns
    resolve(&plan.loop, [np.add], FLOAT64, 2, -1, -1)
    for k in range(3):
        plan.dtypes[k], plan.strides[k][0], plan.strides[k][1] = FLOAT64, 8 * columns, 8
    plan.strides[1][0], plan.strides[1][1] = (0, 8) if words[5] else (8, 0)
    add(launch, memory + <Py_ssize_t> words[3], 8 * rows * columns, OPERAND_READ)
    add(launch, memory + <Py_ssize_t> words[4], 8 * (columns if words[5] else rows), OPERAND_READ)
    add(launch, memory + <Py_ssize_t> words[6], 8 * rows * columns, OPERAND_WRITTEN)
    return 0


cdef int make_bytes(Launch* launch, char* memory, tuple words) except -1:
    cdef StorePlan* stored
    cdef FillPlan* filled
    cdef double number
    if words[0] == "store":
        stored = <StorePlan*> malloc(sizeof(StorePlan) + len(words[1]))
        stored.nbytes = len(words[1])
        memcpy(stored.bytes, <char*> <bytes> words[1], stored.nbytes)
        launch.plan, launch.kind, launch.run = stored, LAUNCH_STORE, run_store
        add(launch, memory + <Py_ssize_t> words[2], stored.nbytes, OPERAND_WRITTEN)
    else:
        filled, number = <FillPlan*> calloc(1, sizeof(FillPlan)), words[2]
        filled.ndim, filled.dtype, filled.shape[0], filled.strides[0] = 1, FLOAT64, words[1], 8
        memcpy(filled.number, &number, 8)
        launch.plan, launch.kind, launch.run = filled, LAUNCH_FILL, run_fill
        add(launch, memory + <Py_ssize_t> words[3], 8 * filled.shape[0], OPERAND_WRITTEN)
    return 0


cdef int make_launch(Launch* launch, char* memory, tuple words) except -1:
    cdef ReducePlan* reduced
    cdef AddRowPlan* row
    memset(launch, 0, sizeof(Launch))
    if words[0] in PROVIDERS:
        make_pointwise(launch, memory, words)
    elif words[0] == "spread":
        make_strided(launch, memory, words)
    elif words[0] in ("store", "fill"):
        make_bytes(launch, memory, words)
    elif words[0] == "move":
        launch.kind, launch.run = LAUNCH_MOVE, run_move
        add(launch, memory + <Py_ssize_t> words[2], words[1], OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], words[1], OPERAND_WRITTEN)
    elif words[0] == "sum":
        reduced = <ReducePlan*> calloc(1, sizeof(ReducePlan))
        reduced.fn, reduced.n, reduced.stride = find_reduction("sum", FLOAT64, FLOAT64), words[1], 8
        reduced.code = FLOAT64
        launch.plan, launch.kind, launch.run = reduced, LAUNCH_REDUCE, run_sum
        add(launch, memory + <Py_ssize_t> words[2], 8 * reduced.n, OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], 8, OPERAND_WRITTEN)
    elif words[0] == "row":
        row = <AddRowPlan*> calloc(1, sizeof(AddRowPlan))
        row.m, row.n, row.code = 1, words[1], FLOAT64
        launch.plan, launch.kind, launch.run = row, LAUNCH_ADD_ROW, run_row
        add(launch, memory + <Py_ssize_t> words[2], 8 * row.n, OPERAND_READ)
        add(launch, memory + <Py_ssize_t> words[3], 8 * row.n, OPERAND_UPDATED)
    else:
        launch.kind = LAUNCH_CALL
    return 0
