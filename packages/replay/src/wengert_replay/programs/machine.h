/* The machine of a stream: instructions of 32-bit words behind each other, which jump from one to the next.
 *
 * Note [Instructions]
 * The first word of an instruction is where its code lies, as a distance from the first label, so that the next one is
 * reached by one jump. Operands are bytes from the beginning of the slots: small values of a program, each of which has
 * a slot of its own from the launch that makes it to the last that reads it. Operands of several elements lie in
 * slots of whole vectors (WG_VECTOR bytes), so that loops have no rest: what lies behind the elements is computed, too,
 * and read by nobody. Memory is named by addresses of two words.
 * + - * / and square roots are IEEE's, so that they are computed here to the same bits as by the kernel that an eager
 * call uses; all else calls the kernel (KERNEL: with slots, WIDE: with addresses).
 */
#ifndef WENGERT_REPLAY_MACHINE_H
#define WENGERT_REPLAY_MACHINE_H

#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WG_VECTOR = 16 };

typedef void (*wg_loop_fn)(char **args, const Py_ssize_t *n, const Py_ssize_t *steps, void *data);

typedef struct { wg_loop_fn fn; void *data; Py_ssize_t steps[5]; } wg_kernel;
typedef struct { wg_loop_fn fn; void *data; Py_ssize_t sizes[4], steps[9]; } wg_product;
typedef struct { const wg_kernel *kernels; const wg_product *products; char *slots; } wg_tables;
typedef struct { int32_t handler; uint32_t size; Py_ssize_t n; void *data; } wg_row; /* at an address that 8 divides */

/* Operations on one element, and on several: both operands, the first, or the second have them. */
#define WG_BINARY(_) _(ADD, +) _(SUB, -) _(MUL, *) _(DIV, /)
#define WG_WIDTHS(_) _(F64, double) _(F32, float)

#define WG_NAMES(_) \
    _(END) _(NOP) _(CALL) _(GUARD) _(LAUNCH) _(CORE) _(MOVE) _(LOAD_4) _(LOAD_8) _(LOAD) _(STORE_4) _(STORE_8) \
    _(STORE) _(WIDE) _(KERNEL_1) _(KERNEL_2) _(KERNEL_3) _(KERNEL_4) _(PRODUCT) _(ADD_ROW_F64) _(ADD_ROW_F32) \
    _(ADD_F64) _(SUB_F64) _(MUL_F64) _(DIV_F64) _(NEG_F64) _(SQRT_F64) _(SQUARE_F64) \
    _(ADD_F32) _(SUB_F32) _(MUL_F32) _(DIV_F32) _(NEG_F32) _(SQRT_F32) _(SQUARE_F32) \
    _(ADD_F64_VV) _(SUB_F64_VV) _(MUL_F64_VV) _(DIV_F64_VV) _(NEG_F64_V) _(SQRT_F64_V) _(SQUARE_F64_V) \
    _(ADD_F32_VV) _(SUB_F32_VV) _(MUL_F32_VV) _(DIV_F32_VV) _(NEG_F32_V) _(SQRT_F32_V) _(SQUARE_F32_V) \
    _(ADD_F64_SV) _(SUB_F64_SV) _(MUL_F64_SV) _(DIV_F64_SV) _(ADD_F64_VS) _(SUB_F64_VS) _(MUL_F64_VS) _(DIV_F64_VS) \
    _(ADD_F32_SV) _(SUB_F32_SV) _(MUL_F32_SV) _(DIV_F32_SV) _(ADD_F32_VS) _(SUB_F32_VS) _(MUL_F32_VS) _(DIV_F32_VS)

#define WG_ENUM(NAME) WG_OP_##NAME,
enum wg_operation { WG_NAMES(WG_ENUM) WG_N_OPERATIONS };
enum { WG_STOP_END, WG_STOP_CALL, WG_STOP_GUARD, WG_STOP_FAILED };

typedef double wg_vec_F64 __attribute__((vector_size(WG_VECTOR), aligned(8), may_alias));
typedef float wg_vec_F32 __attribute__((vector_size(WG_VECTOR), aligned(4), may_alias));

static inline char *wg_address(const uint32_t *w) {
    uint64_t address;
    memcpy(&address, w, sizeof address);
    return (char *)(uintptr_t)address;
}

/* CORE has words of its own, and behind them a launch that never stops, at an address that 8 divides.
 * A launch begins with the address of what runs it, which gets the launch (wengert_core/runtime/launches.pxd). */
static inline int wg_run_launch(void *launch) { return (*(int (**)(void *))launch)(launch); }

/* Run from an instruction on; return the one where it stops. at == NULL: return the table of distances. */
/* Without these attributes the speed of its jumps depends on where it is linked, by up to 1.5 times: each instruction
 * ends with a jump of its own. */
__attribute__((noinline, aligned(64), optimize("no-gcse", "no-crossjumping")))
static const void *wg_run_machine(const char *at, const wg_tables *tables, int *stop) {
#define WG_LABEL(NAME) &&L_##NAME - &&L_END,
    static const int32_t distances[] = {WG_NAMES(WG_LABEL)};
    if (at == NULL) return distances;
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__     /* GCC would keep them on the stack */
    register const uint32_t *w __asm__("rbx") = (const uint32_t *)at;
    register char *slots __asm__("r12") = tables->slots;
#else
    const uint32_t *w = (const uint32_t *)at;
    char *slots = tables->slots;
#endif
    char *args[5];
    Py_ssize_t n;
#define NEXT(words) do { w += (words); goto *(&&L_END + (int32_t)w[0]); } while (0)
#define AT(T, k) (*(T *)(slots + w[k]))
    NEXT(0);

L_END: *stop = WG_STOP_END; return w;
L_CALL: *stop = WG_STOP_CALL; return w;
L_GUARD:
L_LAUNCH: {
    const int outcome = wg_run_launch(((const wg_row *)w)->data);
    if (outcome) { *stop = outcome == 1 ? WG_STOP_GUARD : WG_STOP_FAILED; return w; }
    NEXT(sizeof(wg_row) / 4);
}
L_CORE: wg_run_launch((void *)(w + 2)); NEXT(w[1]);
L_MOVE: memcpy(wg_address(w + 2), wg_address(w + 4), w[1]); NEXT(6);
L_NOP: NEXT(1);
L_LOAD_4: memcpy(slots + w[1], wg_address(w + 2), 4); NEXT(4);
L_LOAD_8: memcpy(slots + w[1], wg_address(w + 2), 8); NEXT(4);
L_LOAD: memcpy(slots + w[1], wg_address(w + 2), w[4]); NEXT(5);
L_STORE_4: memcpy(wg_address(w + 2), slots + w[1], 4); NEXT(4);
L_STORE_8: memcpy(wg_address(w + 2), slots + w[1], 8); NEXT(4);
L_STORE: memcpy(wg_address(w + 2), slots + w[1], w[4]); NEXT(5);

    /* ---- kernels: number, elements, operands */
#define KERNEL(LAST) do { \
        const wg_kernel *kernel = &tables->kernels[w[1]]; \
        n = w[2]; \
        for (int k = 0; k <= (LAST); k++) args[k] = slots + w[3 + k]; \
        kernel->fn(args, &n, kernel->steps, kernel->data); \
        NEXT(4 + (LAST)); \
    } while (0)
L_KERNEL_1: KERNEL(1);
L_KERNEL_2: KERNEL(2);
L_KERNEL_3: KERNEL(3);
L_KERNEL_4: KERNEL(4);
L_WIDE: {
    const wg_kernel *kernel = &tables->kernels[w[1]];
    const uint32_t n_args = w[3];
    n = w[2];
    for (uint32_t k = 0; k < n_args; k++) args[k] = wg_address(w + 4 + 2 * k);
    kernel->fn(args, &n, kernel->steps, kernel->data);
    NEXT(4 + 2 * n_args);
}
L_PRODUCT: {
    const wg_product *product = &tables->products[w[1]];
    for (int k = 0; k < 3; k++) args[k] = wg_address(w + 2 + 2 * k);
    product->fn(args, product->sizes, product->steps, product->data);
    NEXT(8);
}
#define ADD_ROW(NAME, T) \
L_ADD_ROW_##NAME: { \
    const T *row = (const T *)wg_address(w + 3); \
    T *matrix = (T *)wg_address(w + 5); \
    const uint32_t rows = w[1], columns = w[2]; \
    for (uint32_t i = 0; i < rows; i++, matrix += columns) \
        for (uint32_t k = 0; k < columns; k++) matrix[k] += row[k]; \
    NEXT(7); \
}
    WG_WIDTHS(ADD_ROW)

    /* ---- one element: out, operands */
#define SCALAR(NAME, T, OP) L_##NAME: { const T a = AT(T, 2), b = AT(T, 3); AT(T, 1) = a OP b; NEXT(4); }
#define SCALARS(NAME, OP) SCALAR(NAME##_F64, double, OP) SCALAR(NAME##_F32, float, OP)
    WG_BINARY(SCALARS)
#define SCALAR_1(NAME, T, VALUE) L_##NAME: { const T a = AT(T, 2); AT(T, 1) = VALUE; NEXT(3); }
    SCALAR_1(NEG_F64, double, -a)
    SCALAR_1(NEG_F32, float, -a)
    SCALAR_1(SQRT_F64, double, sqrt(a))
    SCALAR_1(SQRT_F32, float, sqrtf(a))
    SCALAR_1(SQUARE_F64, double, a * a)
    SCALAR_1(SQUARE_F32, float, a * a)

    /* ---- several: out, operands, vectors */
#define VECTORS(NAME, T, LAST, A, B, VALUE) \
L_##NAME: { \
    T *out = &AT(T, 1), *end = out + w[1 + (LAST)]; \
    A; \
    B; \
    for (; out < end; out++) { *out = VALUE; } \
    NEXT(2 + (LAST)); \
}
#define BOTH(NAME, T, N, OP) \
    VECTORS(NAME##_##N##_VV, wg_vec_##N, 3, const wg_vec_##N *a = &AT(wg_vec_##N, 2), \
            const wg_vec_##N *b = &AT(wg_vec_##N, 3), *a++ OP *b++) \
    VECTORS(NAME##_##N##_VS, wg_vec_##N, 3, const wg_vec_##N *a = &AT(wg_vec_##N, 2), const T b = AT(T, 3), *a++ OP b) \
    VECTORS(NAME##_##N##_SV, wg_vec_##N, 3, const T a = AT(T, 2), const wg_vec_##N *b = &AT(wg_vec_##N, 3), a OP *b++)
#define BOTHS(NAME, OP) BOTH(NAME, double, F64, OP) BOTH(NAME, float, F32, OP)
    WG_BINARY(BOTHS)
#define ONE(NAME, N, VALUE) \
    VECTORS(NAME##_##N##_V, wg_vec_##N, 2, const wg_vec_##N *p = &AT(wg_vec_##N, 2), wg_vec_##N a, (a = *p++, VALUE))
    ONE(NEG, F64, -a)
    ONE(NEG, F32, -a)
    ONE(SQUARE, F64, a * a)
    ONE(SQUARE, F32, a * a)
#define ROOTS(N, T, ROOT) \
L_SQRT_##N##_V: { \
    T *out = &AT(T, 1); \
    const T *a = &AT(T, 2); \
    const uint32_t end = w[3] * (WG_VECTOR / sizeof(T)); \
    for (uint32_t i = 0; i < end; i++) out[i] = ROOT(a[i]); \
    NEXT(4); \
}
    ROOTS(F64, double, sqrt)
    ROOTS(F32, float, sqrtf)
#undef NEXT
#undef AT
}

#endif
