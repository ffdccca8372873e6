/** Limits of RE2 patterns by name. */

/** Characters of a pattern; more is no pattern. */
export const patternCharactersMax = 20_000

/**
 * Instructions that a pattern may compile to, by an estimate from its text. Patterns of published definitions have some
 * hundred, `[a-z]{0,1000}` has two thousand. These take 50 ms to compile.
 */
export const patternSizeMax = 10_000

/** Instructions of the compiled patterns that are remembered; one takes some 300 bytes. */
export const patternsSizeMax = 200_000

/** Bytes of the automaton of a pattern, as it counts them. It is emptied when it is full. */
export const searchBytesMax = 256 * 1024

/** Steps of one search: 3 MiB of text along a known way, or a thousand characters along a thousand ways. Some 30 ms. */
export const patternStepsMax = 1_000_000
