/** Sizes and costs that are known only within bounds: unsigned 64-bit numbers that do not overflow. */
export interface Bounds {
  readonly min: bigint
  readonly max: bigint
}

/** The largest size and cost: "unbounded". */
export const unbounded = 0xffff_ffff_ffff_ffffn

/** Cost of traversing a string, per character. */
export const stringTraversalFactor = 0.1
/** Cost of a pattern per character, times the cost of the string that it is applied to. */
export const patternLengthFactor = 0.25

export function bounds(min: bigint | number, max: bigint | number = min): Bounds {
  return { min: BigInt(min), max: BigInt(max) }
}

export function addBounds(one: Bounds, other: Bounds): Bounds {
  return { min: addCapped(one.min, other.min), max: addCapped(one.max, other.max) }
}

export function multiplyBounds(one: Bounds, other: Bounds): Bounds {
  return { min: multiplyCapped(one.min, other.min), max: multiplyCapped(one.max, other.max) }
}

/** Rounded up. The product is computed in floating point, as the reference computes it. */
export function scaleBounds(one: Bounds, factor: number): Bounds {
  return { min: scaleCapped(one.min, factor), max: scaleCapped(one.max, factor) }
}

/** The smallest bounds that hold both. */
export function unionBounds(one: Bounds, other: Bounds): Bounds {
  return { min: one.min < other.min ? one.min : other.min, max: one.max > other.max ? one.max : other.max }
}

export function addCapped(one: bigint, other: bigint): bigint {
  return cap(one + other)
}

export function multiplyCapped(one: bigint, other: bigint): bigint {
  return cap(one * other)
}

export function scaleCapped(size: bigint, factor: number): bigint {
  const product = Math.ceil(Number(size) * factor)
  return product >= 2 ** 64 ? unbounded : BigInt(product)
}

function cap(value: bigint): bigint {
  return value > unbounded ? unbounded : value
}
