/**
 * Conditions of the common form (catalog validation.yaml: Condition): each type once and well named, with a status, a
 * time and a reason.
 */
import { formatFaults } from "../../schema/formats.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Condition } from "../../../generated/meta/v1/condition/types.ts"

const statuses = ["False", "True", "Unknown"]
const reasonBytesMax = 1024
const messageBytesMax = 32 * 1024

/** Called for each status whose field `conditions` holds conditions of meta/v1. */
export const conditions = defineCheck<{ conditions?: Condition[] }>((status, context) => {
  const seen = new Set<string>()
  for (const [index, condition] of (status.conditions ?? []).entries()) {
    const at = `conditions[${index}]`
    const { type } = condition
    if (seen.has(type)) context.fail("Duplicate", type, "", `${at}.type`)
    seen.add(type)
    for (const fault of formatFaults("qualified-name", type)) context.fail("Invalid", type, fault, `${at}.type`)
    checkObserved(condition, at, context)
    checkReason(condition, at, context)
  }
})

function checkObserved(condition: Condition, at: string, context: CheckContext): void {
  const { status } = condition
  if (!statuses.includes(status))
    context.failures.add({ type: "NotSupported", field: context.at(`${at}.status`), value: status, detail: "", supported: statuses })
  const generation = condition.observedGeneration ?? 0
  if (generation < 0) context.fail("Invalid", generation, "must be greater than or equal to zero", `${at}.observedGeneration`)
  if (condition.lastTransitionTime === null) context.fail("Required", undefined, "must be set", `${at}.lastTransitionTime`)
}

function checkReason(condition: Condition, at: string, context: CheckContext): void {
  const { message, reason } = condition
  if (reason === "") context.fail("Required", undefined, "must be set", `${at}.reason`)
  else for (const fault of formatFaults("condition-reason", reason)) context.fail("Invalid", reason, fault, `${at}.reason`)
  if (Buffer.byteLength(reason) > reasonBytesMax)
    context.fail("TooLong", reason, `must have at most ${reasonBytesMax} bytes`, `${at}.reason`)
  if (Buffer.byteLength(message) > messageBytesMax)
    context.fail("TooLong", undefined, `must have at most ${messageBytesMax} bytes`, `${at}.message`)
}
