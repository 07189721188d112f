/* Compiler helpers for loops that the compiler vectorises.
 *
 * WG_CLONES compiles a function for x86-64-v4, v3 and the baseline, and lets the loader choose (GCC >= 12 with glibc);
 * elsewhere it is nothing. WG_TWO_CLONES leaves out x86-64-v4, for the size of loops that are many. WG_INLINE
 * functions take on the instruction set of the clone they are inlined into.
 * WG_IVDEP says that a loop carries no dependence: input and output are disjoint or the very same elements.
 */
#ifndef WENGERT_SIMD_H
#define WENGERT_SIMD_H

#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef Py_ssize_t wg_ssize;

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__GLIBC__)
#define WG_HAS_WIDE 1                   /* a function may be compiled for an instruction set of its own */
#endif

#if defined(WG_HAS_WIDE) && !defined(WG_NO_CLONES)
#define WG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define WG_TWO_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WG_CLONES
#define WG_TWO_CLONES
#endif

#if defined(__GNUC__)
#define WG_INLINE static inline __attribute__((always_inline, unused))
#define WG_UNUSED __attribute__((unused))
#define WG_OUTLINE __attribute__((noinline))
#define WG_SCALAR __asm__ volatile("")  /* in a loop that is too short for vectors */
#define WG_UNKNOWN(x) __asm__("" : "+m"(x))     /* the compiler forgets the value of x */
#else
#define WG_INLINE static __inline
#define WG_UNUSED
#define WG_OUTLINE
#define WG_SCALAR
#define WG_UNKNOWN(x) (void)(x)
#endif

#if defined(__clang__)
#define WG_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define WG_IVDEP _Pragma("GCC ivdep")
#else
#define WG_IVDEP
#endif

#define WG_CAT_(a, b) a##b
#define WG_CAT(a, b) WG_CAT_(a, b)
#define WG_COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

#define WG_BITCAST(NAME, FROM, TO) \
    WG_INLINE TO NAME(FROM x) { TO y; memcpy(&y, &x, sizeof y); return y; }
WG_BITCAST(wg_f32_bits, float, uint32_t)
WG_BITCAST(wg_bits_f32, uint32_t, float)
WG_BITCAST(wg_f64_bits, double, uint64_t)
WG_BITCAST(wg_bits_f64, uint64_t, double)

#endif
