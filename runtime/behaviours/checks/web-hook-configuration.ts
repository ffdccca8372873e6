/**
 * Web hooks as a whole (catalog validation.yaml: ValidatingWebhookConfiguration, MutatingWebhookConfiguration): names,
 * side effects, versions of reviews and match conditions. Hooks that old releases stored may break rules that came
 * later; an update may leave such a fault as it is.
 */
import type { ValidatingWebhook } from "../../../generated/admissionregistration.orch.io/v1/validating-webhook-configuration/types.ts"
import { checkReviewVersions, knowsReviewVersion } from "../../definitions/check/index.ts"
import { defineCheck } from "../../schema/define.ts"
import { equals } from "../../schema/expression.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { checkingExpressions, excessOf } from "../policies/check-expressions.ts"
import { conditionExpressions, expressionsOf } from "../policies/match-conditions.ts"

type Hook = Pick<ValidatingWebhook, "admissionReviewVersions" | "matchConditions" | "name" | "sideEffects">
type Configuration = { readonly webhooks?: readonly Hook[] }
type Context = CheckContext<Configuration>

const allSideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"]
const harmlessSideEffects = ["None", "NoneOnDryRun"]

/** Called for each configuration, of either kind. */
export const webHookConfiguration = defineCheck<Configuration>(({ webhooks = [] }, context) => {
  const before = context.old?.webhooks ?? []
  const harmless = before.every(({ sideEffects }) => harmlessSideEffects.includes(sideEffects ?? ""))
  const knownVersionRequired = before.every((hook) => knowsReviewVersion(hook.admissionReviewVersions ?? []))
  const required = "must specify one of v1, v1beta1"
  for (const [index, hook] of webhooks.entries()) {
    if (context.failures.full) return
    checkSideEffects(hook, `webhooks[${index}].sideEffects`, harmless ? harmlessSideEffects : allSideEffects, context)
    const field = `webhooks[${index}].admissionReviewVersions`
    checkReviewVersions(hook.admissionReviewVersions ?? [], { field, knownVersionRequired, required }, context.failures)
  }
  if (new Set(before.map(({ name }) => name)).size === before.length) checkNames(webhooks, context)
  if (context.old === undefined || !haveSameConditions(webhooks, before)) checkConditions(webhooks, before, context)
})

function checkSideEffects({ sideEffects }: Hook, field: string, supported: readonly string[], { failures }: Context): void {
  if (sideEffects === undefined || sideEffects === null)
    failures.add({ type: "Required", field, detail: `must specify one of ${supported.join(", ")}` })
  else if (!supported.includes(sideEffects)) failures.add({ type: "NotSupported", field, value: sideEffects, detail: "", supported })
}

function checkNames(webhooks: readonly Hook[], context: Context): void {
  const seen = new Set<string>()
  for (const [index, { name = "" }] of webhooks.entries()) {
    if (name !== "" && seen.has(name)) context.fail("Duplicate", name, "", `webhooks[${index}].name`)
    seen.add(name)
  }
}

function haveSameConditions(webhooks: readonly Hook[], before: readonly Hook[]): boolean {
  if (webhooks.length !== before.length) return false
  return webhooks.every(({ matchConditions = [] }, index) => equals([...matchConditions], [...(before[index]?.matchConditions ?? [])]))
}

function checkConditions(webhooks: readonly Hook[], before: readonly Hook[], context: Context): void {
  const asked = webhooks.flatMap(({ matchConditions = [] }, index) =>
    conditionExpressions(matchConditions, `webhooks[${index}].matchConditions`, { params: false }),
  )
  const excess = excessOf(asked)
  if (excess !== undefined) return context.fail("Forbidden", undefined, excess, "webhooks")
  if (asked.length === 0) return
  context.inStages(checkingExpressions(asked, expressionsOf(before.flatMap((hook) => hook.matchConditions ?? [])), context.failures))
}
