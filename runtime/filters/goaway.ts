import type { Random } from "../base/random.ts"
import type { Step } from "../http/env.ts"

/** The grain of the chance. */
const outOf = 1_000_000

/**
 * Ends the HTTP/2 connections of some requests after their answers, so that long-lived clients are spread over the
 * servers behind a load balancer again. `chance`: `--goaway-chance`.
 */
export function goaway({ chance, random }: { chance: number; random: Pick<Random, "integer"> }): Step {
  const below = Math.round(chance * outOf)
  return function goaway({ incoming, outgoing }) {
    if (incoming.httpVersionMajor === 2 && random.integer(outOf) < below) outgoing.closeAfterAnswer()
    return undefined
  }
}
