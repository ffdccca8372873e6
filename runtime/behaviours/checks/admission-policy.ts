/** Policies as a whole (catalog validation.yaml: ValidatingAdmissionPolicy): what they need, and their expressions. */
import type {
  AuditAnnotation,
  Validation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../../generated/admissionregistration.orch.io/v1/validating-admission-policy/types.ts"
import { Composition } from "../../policies/expressions.ts"
import { defineCheck } from "../../schema/define.ts"
import { equals } from "../../schema/expression.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { checkingExpressions, excessOf, type PlacedExpression } from "../policies/check-expressions.ts"
import { conditionExpressions, expressionsOf } from "../policies/match-conditions.ts"

type Policy = Pick<ValidatingAdmissionPolicy, "metadata" | "spec">
type Context = CheckContext<Policy>

const annotationsMax = 20
const valueExpressionBytesMax = 5 * 1024

/** Called for each policy. */
export const admissionPolicy = defineCheck<Policy>(({ metadata, spec }, context) => {
  if (context.subresource === "status") return
  const { matchConstraints, validations = [], auditAnnotations = [] } = spec
  if (matchConstraints === undefined) context.fail("Required", undefined, "", "spec.matchConstraints")
  else if ((matchConstraints.resourceRules ?? []).length === 0)
    context.fail("Required", undefined, "", "spec.matchConstraints.resourceRules")
  if (validations.length + auditAnnotations.length === 0) {
    for (const field of ["validations", "auditAnnotations"])
      context.fail("Required", undefined, "validations or auditAnnotations must contain at least one item", `spec.${field}`)
  }
  for (const [index, validation] of validations.entries()) checkTexts(validation, `spec.validations[${index}]`, context)
  checkAnnotations(auditAnnotations, metadata.name ?? "", context)
  checkVariables(spec, context)
  checkExpressions(spec, context)
})

/** Texts of a validation. An expression of several lines is documented to need a message; the reference needs none. */
function checkTexts({ expression, message = "", messageExpression = "" }: Validation, at: string, context: Context): void {
  if (expression.trim() === "") context.fail("Required", undefined, "expression is not specified", `${at}.expression`)
  if (messageExpression !== "" && messageExpression.trim() === "")
    context.fail("Invalid", messageExpression, "must be non-empty if specified", `${at}.messageExpression`)
  if (message !== "" && message.trim() === "") context.fail("Invalid", message, "message must be non-empty if specified", `${at}.message`)
  else if (lineBreak.test(message.trim())) context.fail("Invalid", message, "message must not contain line breaks", `${at}.message`)
}

const lineBreak = /[\n\r]/

function checkAnnotations(annotations: readonly AuditAnnotation[], name: string, context: Context): void {
  const field = "spec.auditAnnotations"
  if (annotations.length > annotationsMax)
    context.fail("Invalid", annotations.length, `must not have more than ${annotationsMax} auditAnnotations`, field)
  const seen = new Set<string>()
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    if (context.failures.full) return
    const at = `${field}[${index}]`
    if (name === "") context.fail("Invalid", key, "requires metadata.name be non-empty", `${at}.key`)
    else for (const fault of qualifiedNameFaults(`${name}/${key}`)) context.fail("Invalid", `${name}/${key}`, fault, `${at}.key`)
    if (seen.has(key)) context.fail("Duplicate", key, "", `${at}.key`)
    seen.add(key)
    if (valueExpression.trim() === "") context.fail("Required", undefined, "valueExpression is not specified", `${at}.valueExpression`)
    else if (isLong(valueExpression))
      context.fail("TooLong", undefined, `must have at most ${valueExpressionBytesMax} bytes`, `${at}.valueExpression`)
  }
}

function isLong(valueExpression: string): boolean {
  return Buffer.byteLength(valueExpression.trim()) > valueExpressionBytesMax
}

function checkVariables({ variables = [] }: ValidatingAdmissionPolicySpec, context: Context): void {
  for (const [index, { name, expression }] of variables.entries()) {
    if (context.failures.full) return
    const at = `spec.variables[${index}]`
    if (name.trim() === "") context.fail("Required", undefined, "name is not specified", `${at}.name`)
    else if (!identifier.test(name) || reserved.has(name)) context.fail("Invalid", name, "name is not a valid CEL identifier", `${at}.name`)
    if (expression.trim() === "") context.fail("Required", undefined, "expression is not specified", `${at}.expression`)
  }
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop namespace null package return true var void while".split(" "),
)

function checkExpressions(spec: ValidatingAdmissionPolicySpec, context: Context): void {
  const asked = [...conditionsToCheck(spec, context.old?.spec), ...expressionsToCheck(spec)]
  const excess = excessOf(asked)
  if (excess !== undefined) return context.fail("Forbidden", undefined, excess, "spec")
  context.inStages(checkingExpressions(asked, context.old === undefined ? new Set() : textsOf(context.old.spec), context.failures))
}

/** None where an update changes neither the conditions nor the kind of parameters. */
function conditionsToCheck(
  spec: ValidatingAdmissionPolicySpec,
  old: ValidatingAdmissionPolicySpec | undefined,
): readonly PlacedExpression[] {
  const { matchConditions = [], paramKind } = spec
  const same =
    old !== undefined && equals({ ...paramKind }, { ...old.paramKind }) && equals([...matchConditions], [...(old.matchConditions ?? [])])
  return same ? [] : conditionExpressions(matchConditions, "spec.matchConditions", { params: paramKind !== undefined })
}

/** Variables first: the others see all of them. */
function expressionsToCheck(spec: ValidatingAdmissionPolicySpec): readonly PlacedExpression[] {
  const { variables = [], validations = [], auditAnnotations = [] } = spec
  const composition = variables.length > 0 ? { composition: new Composition() } : {}
  const scope = { params: spec.paramKind !== undefined, authorizer: true, ...composition }
  const expressions: PlacedExpression[] = variables.map(({ name, expression: source }, index) => {
    return { ...scope, field: `spec.variables[${index}].expression`, source, variable: name }
  })
  for (const [index, { expression, messageExpression = "" }] of validations.entries()) {
    const at = `spec.validations[${index}]`
    expressions.push({ ...scope, field: `${at}.expression`, source: expression, results: ["bool"] })
    const field = `${at}.messageExpression`
    expressions.push({ ...scope, field, source: messageExpression, results: ["string"], authorizer: false })
  }
  for (const [index, { valueExpression }] of auditAnnotations.entries()) {
    if (isLong(valueExpression)) continue
    const field = `spec.auditAnnotations[${index}].valueExpression`
    const source = valueExpression.trim()
    expressions.push({ ...scope, field, source, shown: valueExpression, results: ["string", "null_type"] })
  }
  return expressions.filter(({ source }) => source.trim() !== "")
}

/** The expressions of a stored policy. */
function textsOf({ matchConditions, validations, auditAnnotations, variables }: ValidatingAdmissionPolicySpec): ReadonlySet<string> {
  return new Set([
    ...expressionsOf(matchConditions ?? []),
    ...(variables ?? []).map(({ expression }) => expression),
    ...(validations ?? []).flatMap(({ expression, messageExpression = "" }) => [expression, messageExpression]),
    ...(auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  ])
}
