/* Transfers between memory and caches. */
#ifndef WENGERT_REPLAY_TRANSFERS_H
#define WENGERT_REPLAY_TRANSFERS_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Have bytes on their way to the first-level cache. A compiler drops calls of what only prefetches, but for the asm. */
static void wg_fetch_bytes(const char *at, const char *end) {
#if defined(__GNUC__)
    for (; at < end; at += 64) __builtin_prefetch(at, 0, 3);
    __asm__ volatile("");
#else
    (void)at;
    (void)end;
#endif
}

/* Copy bytes to memory past the caches. Other threads see them behind wg_end_streams. */
static void wg_stream_bytes(char *to, const char *from, Py_ssize_t n) {
#if defined(__SSE2__)
    Py_ssize_t head = (Py_ssize_t)(-(uintptr_t)to & 15), i;
    head = head < n ? head : n;
    memcpy(to, from, (size_t)head);
    for (i = head; i + 16 <= n; i += 16)
        _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    memcpy(to + i, from + i, (size_t)(n - i));
#else
    memcpy(to, from, (size_t)n);
#endif
}

static void wg_end_streams(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
