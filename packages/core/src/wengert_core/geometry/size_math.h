/* Sums and products of sizes, strides and offsets that say when they do not fit into 63 bits. */
#ifndef WENGERT_SIZE_MATH_H
#define WENGERT_SIZE_MATH_H
#include <Python.h>

static inline int wengert_mul_overflows(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *product) {
    return __builtin_mul_overflow(a, b, product);
}

static inline int wengert_add_overflows(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *sum) {
    return __builtin_add_overflow(a, b, sum);
}
#endif
