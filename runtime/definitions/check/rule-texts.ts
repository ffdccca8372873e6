/** Checks entries of the rules of a node without their expressions: required fields, messages, reasons and paths. */
import type { Failures } from "../../base/failure.ts"
import { findField } from "../field-path.ts"
import { type RuleProps, type SchemaProps, stepIntoProps } from "./schema-props.ts"

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]

/** `path`: path of the list of rules. */
export function checkRuleTexts(schema: SchemaProps, path: string, failures: Failures): void {
  for (const [index, rule] of (schema.validations ?? []).entries()) {
    if (failures.full) return
    checkTexts(rule, `${path}[${index}]`, failures)
    checkFieldPath(rule.fieldPath, schema, `${path}[${index}].fieldPath`, failures)
  }
}

function checkTexts({ rule, message, messageExpression, reason }: RuleProps, path: string, failures: Failures): void {
  const said = message.trim()
  const invalidMessage = (detail: string): void => failures.add({ type: "Invalid", field: `${path}.message`, value: message, detail })
  if (rule.trim() === "") failures.add({ type: "Required", field: `${path}.rule`, detail: "rule is not specified" })
  else if (message !== "" && said === "") invalidMessage("message must be non-empty if specified")
  else if (hasNewlines(said)) invalidMessage("message must not contain line breaks")
  else if (hasNewlines(rule.trim()) && said === "") {
    failures.add({ type: "Required", field: `${path}.message`, detail: "message must be specified if rule contains line breaks" })
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified"
    failures.add({ type: "Required", field: `${path}.messageExpression`, detail })
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    failures.add({ type: "NotSupported", field: `${path}.reason`, value: reason, detail: "", supported: reasons })
  }
}

function checkFieldPath(value: string, schema: SchemaProps, field: string, failures: Failures): void {
  if (value === "") return
  const invalid = (detail: string): void => failures.add({ type: "Invalid", field, value, detail })
  if (value.trim() === "") invalid("fieldPath must be non-empty if specified")
  if (hasNewlines(value)) invalid("fieldPath must not contain line breaks")
  if ("fault" in findField(value, schema, true, stepIntoProps)) invalid("fieldPath must be a valid path")
}

function hasNewlines(value: string): boolean {
  return /[\n\r]/.test(value)
}
