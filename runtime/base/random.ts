import { randomBytes, randomInt, randomUUID } from "node:crypto"

/** The server's source of randomness; tests and the simulation pass a seeded one. */
export interface Random {
  /** RFC 4122 version 4. */
  uuid(): string
  /** A whole number in [0, below). */
  integer(below: number): number
  bytes(length: number): Buffer
}

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  integer: (below) => randomInt(below),
  bytes: (length) => randomBytes(length),
}
