/** Random numbers from a seed: the same draws for the same seed, on every machine. */
import type { Random } from "../../../runtime/base/random.ts"

export interface SeededRandom extends Random {
  /** In [0, 1). */
  fraction(): number
  /** True with probability `share`. */
  chance(share: number): boolean
  /** One of the elements. */
  pick<T>(from: readonly [T, ...T[]]): T
  /** Another sequence, which is independent of draws here. */
  fork(name: string): SeededRandom
}

/**
 * Called once per purpose: purposes with separate sequences can change without affecting each other (splitmix32 of the
 * seed and the name).
 */
export function createRandom(seed: number, name = ""): SeededRandom {
  let state = [...`${seed}/${name}`].reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  )
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const fraction = (): number => next() / 2 ** 32
  const integer = (below: number): number => Math.floor(fraction() * below)
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => next() & 255))
  return {
    fraction,
    integer,
    bytes,
    chance: (share) => fraction() < share,
    pick: (from) => from[integer(from.length)] ?? from[0],
    uuid() {
      const hex = bytes(16).toString("hex")
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
    },
    fork: (inner) => createRandom(seed, `${name}/${inner}`),
  }
}
