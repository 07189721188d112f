/* The tiles of tile.h for float and double, and which of them this machine runs. For register_tiles.pyx. */
#ifndef WENGERT_TILES_TABLE_H
#define WENGERT_TILES_TABLE_H

#include "tiles.h"

/* 16 registers of 32 bytes (or 32 of 16): 6 rows of 2 (or 4). */
#define TM 6
#define TV 1
#define PARTS 2
#define ISA _usual
#ifdef WG_HAS_WIDE
#define TARGET __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TARGET
#endif
#define R float
#define SUF f32
#include "tile.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "tile.h"
#undef R
#undef SUF
#undef TM
#undef TV
#undef PARTS
#undef ISA
#undef TARGET

#ifdef WG_HAS_WIDE                       /* 32 registers of 64 bytes: 8 rows of 3 */
#define TM 8
#define TV 3
#define PARTS 1
#define ISA _wide
#define TARGET __attribute__((target("arch=x86-64-v4")))
#define R float
#define SUF f32
#include "tile.h"
#undef R
#undef SUF
#define R double
#define SUF f64
#include "tile.h"
#undef R
#undef SUF
#undef TM
#undef TV
#undef PARTS
#undef ISA
#undef TARGET
#endif

/* wide: may be the widest that the machine has; else those that all have. */
static const wg_tiles *wg_find_tiles(int wide) {
    static const wg_tiles usual = {6, 1, wg_outer_tile_f32_usual, wg_inner_tile_f32_usual, wg_outer_at_tile_f32_usual,
                                   wg_outer_tile_f64_usual, wg_inner_tile_f64_usual, wg_outer_at_tile_f64_usual};
#ifdef WG_HAS_WIDE
    static const wg_tiles widest = {8, 3, wg_outer_tile_f32_wide, wg_inner_tile_f32_wide, wg_outer_at_tile_f32_wide,
                                  wg_outer_tile_f64_wide, wg_inner_tile_f64_wide, wg_outer_at_tile_f64_wide};
    if (wide && __builtin_cpu_supports("x86-64-v4")) return &widest;
#endif
    (void)wide;
    return &usual;
}

#endif
