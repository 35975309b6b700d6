#ifndef SPV_BLOOM_LANES_H
#define SPV_BLOOM_LANES_H

/*
 * Compilers turn a loop over lanes into vector instructions, provided that
 * they are kept from unrolling it first, which hides what it was.
 */
#if defined(__clang__)
#    define EACH_LANE(i) \
        _Pragma("clang loop unroll(disable)") for (int i = 0; i < LANES; i++)
#elif defined(__GNUC__)
#    define EACH_LANE(i) _Pragma("GCC unroll 1") for (int i = 0; i < LANES; i++)
#else
#    define EACH_LANE(i) for (int i = 0; i < LANES; i++)
#endif

/** Two registers of 128 bits: SSE2 or NEON, which every x86-64 and AArch64
 * has. More would cost what a miss, half of the time decided by the first
 * function alone, cannot repay. */
enum { LANES = 8 };

#endif
