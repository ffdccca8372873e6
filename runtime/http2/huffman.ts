/**
 * The Huffman code of header strings: RFC 7541 appendix B, decoded as in section 5.2. Answers do not use it: it saves
 * bytes but costs time.
 */

/**
 * The length in bits of the code of each byte, and last of the end of the string. The code is canonical: shorter codes
 * come first, and codes of the same length count up in byte order. The lengths therefore define the code.
 */
const codeLengths: readonly number[] = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  ...[28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  ...[6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  ...[5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  ...[13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  ...[7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  ...[6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  ...[24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  ...[22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  ...[21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  ...[26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  ...[19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  ...[20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  ...[26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  30,
]

const endOfString = 256
const shortestCode = 5
/** Padding of more than 7 bits, or with a zero, is a fault. */
const paddingBitsMax = 7
const none = -1

/** The code as a state machine that reads four bits at a time. Codes are longer, so a step yields at most one byte. */
interface Machine {
  /**
   * At `state * 16 + bits`: the next state, and the byte that is complete. `none` if there is no such state or byte.
   */
  readonly next: Int16Array
  readonly byte: Int16Array
  /** The states in which a string may end. */
  readonly mayEnd: Uint8Array
}

/** The two children of a node: the index of a node, -2 minus the symbol for a complete code, or `none`. */
type Node = [number, number]

function codeTree(): Node[] {
  const nodes: Node[] = [[none, none]]
  const symbols = codeLengths.map((length, symbol) => ({ length, symbol })).sort((left, right) => left.length - right.length)
  let code = 0
  let codeLength = symbols[0]?.length ?? 0
  for (const { length, symbol } of symbols) {
    code <<= length - codeLength
    codeLength = length
    let at = 0
    for (let bit = length - 1; bit > 0; bit--) at = childOf(nodes, at, (code >>> bit) & 1)
    nodeAt(nodes, at)[code & 1] = -2 - symbol
    code++
  }
  return nodes
}

function nodeAt(nodes: Node[], at: number): Node {
  return nodes[at] ?? [none, none]
}

function childOf(nodes: Node[], at: number, bit: number): number {
  const node = nodeAt(nodes, at)
  const side = bit === 0 ? 0 : 1
  if (node[side] === none) node[side] = nodes.push([none, none]) - 1
  return node[side]
}

function machineOf(nodes: Node[]): Machine {
  const next = new Int16Array(nodes.length * 16).fill(none)
  const byte = new Int16Array(nodes.length * 16).fill(none)
  for (let state = 0; state < nodes.length; state++) for (let bits = 0; bits < 16; bits++) step(state, bits)

  function step(state: number, bits: number): void {
    let at = state
    for (let bit = 3; bit >= 0; bit--) {
      const to = nodeAt(nodes, at)[(bits >>> bit) & 1] ?? none
      if (to === none || to === -2 - endOfString) return
      if (to < none) byte[state * 16 + bits] = -2 - to
      at = to < none ? 0 : to
    }
    next[state * 16 + bits] = at
  }

  const mayEnd = new Uint8Array(nodes.length)
  for (let at = 0, bits = 0; bits <= paddingBitsMax; bits++) {
    mayEnd[at] = 1
    at = nodeAt(nodes, at)[1] ?? 0
  }
  return { next, byte, mayEnd }
}

const { next, byte, mayEnd } = machineOf(codeTree())

const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/** Decodes a Huffman-coded header string to latin1. Undefined if the code is invalid. */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string | undefined {
  const lengthMax = Math.ceil(((to - from) * 8) / shortestCode)
  const decoded = lengthMax <= scratch.length ? scratch : Buffer.allocUnsafe(lengthMax)
  let state = 0
  let length = 0
  for (let index = from; index < to; index++) {
    const bits = bytes[index] ?? 0
    const first = state * 16 + (bits >>> 4)
    const firstByte = byte[first] ?? none
    if (firstByte >= 0) decoded[length++] = firstByte
    state = next[first] ?? none
    if (state < 0) return undefined
    const second = state * 16 + (bits & 15)
    const secondByte = byte[second] ?? none
    if (secondByte >= 0) decoded[length++] = secondByte
    state = next[second] ?? none
    if (state < 0) return undefined
  }
  return mayEnd[state] === 1 ? decoded.toString("latin1", 0, length) : undefined
}
