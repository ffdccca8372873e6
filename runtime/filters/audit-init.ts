import type { Random } from "../base/random.ts"
import type { Step } from "../http/env.ts"

/** Gives the answer its `Audit-Id`, the client's or a new one. The first step, so that every refusal has it. */
export function auditInit({ random }: { random: Pick<Random, "uuid"> }): Step {
  return function auditInit({ headers, outgoing }) {
    outgoing.setHeader("audit-id", auditId(headers["audit-id"]) ?? random.uuid())
    return undefined
  }
}

/** The first of several. The limit of all header fields bounds its length. */
function auditId(sent: string | string[] | undefined): string | undefined {
  const first = (typeof sent === "string" ? sent.split(",", 1) : sent)?.[0]?.trim()
  return first === "" ? undefined : first
}
