/* Instantiates reduce.h: sum, prod, amax, amin, any, all. Included by reduce.pyx only. */
#ifndef WENGERT_REDUCE_TABLE_H
#define WENGERT_REDUCE_TABLE_H

#include "accumulate.h"
#include "reduce.h"

/* sum and prod: integers accumulate in int64, 16-bit floats in float, the rest in their own type. */
#define WG_ADDITIVE_SHORTS(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_U8, uint8_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_I8, int8_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_I16, int16_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_U16, uint16_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_U32, uint32_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME)
#define WG_ADDITIVE_INTEGERS(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_BOOL, uint8_t, WG_WIDE_BOOL, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_I32, int32_t, WG_WIDE, int64_t, UNIT, OP, int64_t, WG_SAME) \
    WG_REDUCE(NAME##_I64, int64_t, WG_SAME, int64_t, UNIT, OP, int64_t, WG_SAME)
#define WG_ADDITIVE_HALVES(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_F16, uint16_t, wg_half_to_float, float, UNIT, OP, uint16_t, wg_float_to_half) \
    WG_REDUCE(NAME##_BF16, uint16_t, wg_bfloat_to_float, float, UNIT, OP, uint16_t, wg_float_to_bfloat) \
    WG_REDUCE(NAME##_F16_F32, uint16_t, wg_half_to_float, float, UNIT, OP, float, WG_SAME) \
    WG_REDUCE(NAME##_BF16_F32, uint16_t, wg_bfloat_to_float, float, UNIT, OP, float, WG_SAME)
#define WG_ADDITIVE_FLOATS(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_F32, float, WG_SAME, float, UNIT, OP, float, WG_SAME) \
    WG_REDUCE(NAME##_F64, double, WG_SAME, double, UNIT, OP, double, WG_SAME)
#define WG_ADDITIVE_COMPLEX(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_C64, wg_c64, WG_SAME, wg_c64, UNIT##_wg_c64, OP##_wg_c64, wg_c64, WG_SAME) \
    WG_REDUCE(NAME##_C128, wg_c128, WG_SAME, wg_c128, UNIT##_wg_c128, OP##_wg_c128, wg_c128, WG_SAME)

#define WG_EXTREME_SHORTS(NAME, OP, U8, I8, I16) \
    WG_REDUCE(NAME##_U8, uint8_t, WG_SAME, uint8_t, U8, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_I8, int8_t, WG_SAME, int8_t, I8, OP, int8_t, WG_SAME) \
    WG_REDUCE(NAME##_I16, int16_t, WG_SAME, int16_t, I16, OP, int16_t, WG_SAME)
#define WG_EXTREME_UNSIGNED(NAME, OP, U16, U32, U64) \
    WG_REDUCE(NAME##_U16, uint16_t, WG_SAME, uint16_t, U16, OP, uint16_t, WG_SAME) \
    WG_REDUCE(NAME##_U32, uint32_t, WG_SAME, uint32_t, U32, OP, uint32_t, WG_SAME) \
    WG_REDUCE(NAME##_U64, uint64_t, WG_SAME, uint64_t, U64, OP, uint64_t, WG_SAME)
#define WG_EXTREME_INTEGERS(NAME, OP, I32, I64) \
    WG_REDUCE(NAME##_I32, int32_t, WG_SAME, int32_t, I32, OP, int32_t, WG_SAME) \
    WG_REDUCE(NAME##_I64, int64_t, WG_SAME, int64_t, I64, OP, int64_t, WG_SAME)
#define WG_EXTREME_HALVES(NAME, OP, INF) \
    WG_REDUCE(NAME##_F16, uint16_t, wg_half_to_float, float, INF, OP, uint16_t, wg_float_to_half) \
    WG_REDUCE(NAME##_BF16, uint16_t, wg_bfloat_to_float, float, INF, OP, uint16_t, wg_float_to_bfloat)
#define WG_EXTREME_FLOATS(NAME, OPF, OPD, INF) \
    WG_REDUCE(NAME##_F32, float, WG_SAME, float, INF, OPF, float, WG_SAME) \
    WG_REDUCE(NAME##_F64, double, WG_SAME, double, INF, OPD, double, WG_SAME)

/* Rare, or many to one of the oldest vectors: not worth the space of clones. */
WG_ADDITIVE_SHORTS(sum, wg_add_i64, 0)
WG_ADDITIVE_SHORTS(prod, wg_mul_i64, 1)
WG_ADDITIVE_INTEGERS(prod, wg_mul_i64, 1)
WG_ADDITIVE_HALVES(prod, WG_MUL, 1)
WG_EXTREME_SHORTS(amax, WG_GREATER, 0, INT8_MIN, INT16_MIN)
WG_EXTREME_SHORTS(amin, WG_LESS, UINT8_MAX, INT8_MAX, INT16_MAX)
WG_EXTREME_UNSIGNED(amax, WG_GREATER, 0, 0, 0)
WG_EXTREME_UNSIGNED(amin, WG_LESS, UINT16_MAX, UINT32_MAX, UINT64_MAX)
WG_EXTREME_HALVES(amax, wg_max_f32, -(float)INFINITY)
WG_EXTREME_HALVES(amin, wg_min_f32, (float)INFINITY)
WG_ADDITIVE_COMPLEX(sum, wg_add, WG_ZERO)
WG_ADDITIVE_COMPLEX(prod, wg_mul, WG_ONE)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_CLONES
WG_ADDITIVE_INTEGERS(sum, wg_add_i64, 0)
WG_ADDITIVE_HALVES(sum, WG_ADD, 0)
WG_ADDITIVE_FLOATS(sum, WG_ADD, 0)
WG_ADDITIVE_FLOATS(prod, WG_MUL, 1)
WG_EXTREME_INTEGERS(amax, WG_GREATER, INT32_MIN, INT64_MIN)
WG_EXTREME_INTEGERS(amin, WG_LESS, INT32_MAX, INT64_MAX)
WG_EXTREME_FLOATS(amax, wg_max_f32, wg_max_f64, -(float)INFINITY)
WG_EXTREME_FLOATS(amin, wg_min_f32, wg_min_f64, (float)INFINITY)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR

#define WG_TRUTH(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_B1, uint8_t, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_B2, int16_t, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_B4, int32_t, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_B8, int64_t, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_F2, uint16_t, WG_TRUE_HALF, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_F4, float, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_F8, double, WG_BYTE, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_C8, wg_c64, WG_TRUE_COMPLEX, uint8_t, UNIT, OP, uint8_t, WG_SAME) \
    WG_REDUCE(NAME##_C16, wg_c128, WG_TRUE_COMPLEX, uint8_t, UNIT, OP, uint8_t, WG_SAME)
WG_TRUTH(any, WG_OR, 0)
WG_TRUTH(all, WG_AND, 1)

/* Sums of uint64 wrap as those of int64: the same bits. */
#define WG_ADDITIVE_ROWS(NAME) \
    {#NAME, WG_BOOL, WG_I64, NAME##_BOOL}, {#NAME, WG_U8, WG_I64, NAME##_U8}, {#NAME, WG_I8, WG_I64, NAME##_I8}, \
    {#NAME, WG_I16, WG_I64, NAME##_I16}, {#NAME, WG_I32, WG_I64, NAME##_I32}, {#NAME, WG_I64, WG_I64, NAME##_I64}, \
    {#NAME, WG_F16, WG_F16, NAME##_F16}, {#NAME, WG_BF16, WG_BF16, NAME##_BF16}, \
    {#NAME, WG_F16, WG_F32, NAME##_F16_F32}, {#NAME, WG_BF16, WG_F32, NAME##_BF16_F32}, \
    {#NAME, WG_F32, WG_F32, NAME##_F32}, {#NAME, WG_F64, WG_F64, NAME##_F64}, \
    {#NAME, WG_C64, WG_C64, NAME##_C64}, {#NAME, WG_C128, WG_C128, NAME##_C128}, \
    {#NAME, WG_U16, WG_I64, NAME##_U16}, {#NAME, WG_U32, WG_I64, NAME##_U32}, {#NAME, WG_U64, WG_I64, NAME##_I64}
#define WG_EXTREME_ROWS(NAME, BOOLEAN) \
    {#NAME, WG_BOOL, WG_BOOL, BOOLEAN}, {#NAME, WG_U8, WG_U8, NAME##_U8}, {#NAME, WG_I8, WG_I8, NAME##_I8}, \
    {#NAME, WG_I16, WG_I16, NAME##_I16}, {#NAME, WG_I32, WG_I32, NAME##_I32}, {#NAME, WG_I64, WG_I64, NAME##_I64}, \
    {#NAME, WG_F16, WG_F16, NAME##_F16}, {#NAME, WG_BF16, WG_BF16, NAME##_BF16}, \
    {#NAME, WG_F32, WG_F32, NAME##_F32}, {#NAME, WG_F64, WG_F64, NAME##_F64}, \
    {#NAME, WG_U16, WG_U16, NAME##_U16}, {#NAME, WG_U32, WG_U32, NAME##_U32}, {#NAME, WG_U64, WG_U64, NAME##_U64}
#define WG_TRUTH_ROWS(NAME) \
    {#NAME, WG_BOOL, WG_BOOL, NAME##_B1}, {#NAME, WG_U8, WG_BOOL, NAME##_B1}, {#NAME, WG_I8, WG_BOOL, NAME##_B1}, \
    {#NAME, WG_I16, WG_BOOL, NAME##_B2}, {#NAME, WG_I32, WG_BOOL, NAME##_B4}, {#NAME, WG_I64, WG_BOOL, NAME##_B8}, \
    {#NAME, WG_F16, WG_BOOL, NAME##_F2}, {#NAME, WG_BF16, WG_BOOL, NAME##_F2}, {#NAME, WG_F32, WG_BOOL, NAME##_F4}, \
    {#NAME, WG_F64, WG_BOOL, NAME##_F8}, {#NAME, WG_C64, WG_BOOL, NAME##_C8}, {#NAME, WG_C128, WG_BOOL, NAME##_C16}, \
    {#NAME, WG_U16, WG_BOOL, NAME##_B2}, {#NAME, WG_U32, WG_BOOL, NAME##_B4}, {#NAME, WG_U64, WG_BOOL, NAME##_B8}

static const wg_reduce_entry WG_REDUCTIONS[] = {
    WG_ADDITIVE_ROWS(sum), WG_ADDITIVE_ROWS(prod), WG_EXTREME_ROWS(amax, any_B1), WG_EXTREME_ROWS(amin, all_B1),
    WG_TRUTH_ROWS(any), WG_TRUTH_ROWS(all)};

static wg_reduce_fn wg_find_in(const wg_reduce_entry *table, int size, const char *name, int src, int dst) {
    for (int i = 0; i < size; i++)
        if (table[i].src == src && table[i].dst == dst && strcmp(table[i].name, name) == 0) return table[i].fn;
    return NULL;
}

#endif
