/**
 * The limits of each type's own fields as data, and the calls that check them, both in `validate.ts`. Nested types have
 * limits of their own, so a shared type's limits exist once. runtime/schema/check-limits.ts compiles them on first use.
 */
import type { Constraints, FieldModel, TypeModel } from "../../model/model.ts"
import type { JsonValue } from "../../runtime/base/json.ts"
import type { FailureForm } from "../../runtime/schema/reported.ts"
import { readingOf } from "../../model/expression/field-types.ts"
import { constraintTable, limitOf } from "../../runtime/schema/constraints.ts"
import { type Literal, literal } from "../print/literal.ts"
import { type EmitContext, hasConstraints, hasLimits, kindOfType } from "./context.ts"
import type { FileBuilder } from "./file-builder.ts"
import { limitsName } from "./names.ts"
import { plain } from "./shape.ts"

/** Declares the limits of a type's fields, if any has limits. Called before `limitLines`. */
export function declareLimits(builder: FileBuilder, type: TypeModel): void {
  const fields = ownFields(builder.context, type).filter(hasFieldCheck)
  if (fields.length === 0) return
  const limits = Object.fromEntries(fields.map((field) => [field.name, fieldLimits(field)]))
  builder.declare({
    declare: "constant",
    name: limitsName(type.localName),
    exported: false,
    value: `${builder.runtime("limits")}(${literal(limits)})`,
  })
}

/**
 * The calls that check the type's own fields: first for presence, then the limits of each field, after the lines that
 * `before` has for it. Also returns the names of the fields with limits.
 */
export function limitLines(
  builder: FileBuilder,
  type: TypeModel,
  before: (field: string) => readonly string[],
): { readonly lines: string[]; readonly limited: ReadonlySet<string> } {
  const fields = ownFields(builder.context, type)
  const presence = (word: "nonEmpty" | "required" | "requiredOrNull", field: FieldModel): string =>
    `${builder.runtime(word)}(${member("self", field.name)}, ${JSON.stringify(field.name)}, context${fieldCheck(type, field)})`
  const withLimits = fields.filter(hasLimits).map(({ name }) => name)
  const limited = withLimits.flatMap((name) => {
    const limit = member(limitsName(type.localName), name)
    return [...before(name), `${builder.runtime("limited")}(${member("self", name)}, context, ${limit})`]
  })
  const lines = [
    ...fields.filter((field) => field.nonEmpty).map((field) => presence("nonEmpty", field)),
    ...fields
      .filter((field) => field.required === true && !field.nonEmpty)
      .map((field) => presence(field.nullable === true ? "requiredOrNull" : "required", field)),
    ...limited,
  ]
  return { lines, limited: new Set(withLimits) }
}

function member(of: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`
}

/** The registry validates the metadata of a whole object, for all kinds alike. */
function ownFields(context: EmitContext, type: TypeModel): readonly FieldModel[] {
  const isKind = kindOfType(context, type) !== undefined
  const checked = (field: FieldModel): boolean => hasConstraints(field) || hasFieldCheck(field)
  return type.fields.filter((field) => !field.inline && !(isKind && field.name === "metadata") && checked(field))
}

function hasFieldCheck(field: FieldModel): boolean {
  return hasLimits(field) || (isReportedOtherwise(field) && canFail(field))
}

/** Whether a call about the field's own value may report something. */
function canFail(field: FieldModel): boolean {
  const ofItems = field.unique.length > 0 || field.distinct !== undefined
  return hasConstraints(field) || ofItems || field.immutable !== false || field.requiredOn !== undefined
}

/** Whether calls about a field state how its failures are reported. */
function isReportedOtherwise(field: FieldModel): boolean {
  return field.failures !== undefined || field.reportedAt !== undefined || (field.immutable !== false && absentValue(field) !== undefined)
}

/** The last argument of a call about a field, where its failures are reported in words of the schema. */
export function fieldCheck(type: TypeModel, field: FieldModel): string {
  return isReportedOtherwise(field) ? `, ${member(limitsName(type.localName), field.name)}` : ""
}

/** The value that failures show for an absent field. As in kube-apiserver, a pointer shows `null` as a text. */
export function absentValue(field: FieldModel): JsonValue | undefined {
  if (field.pointer || ("scalar" in field.type && field.type.scalar === "RawExtension")) return "null"
  return readingOf(field).zero
}

/** The flags are about empty texts, so only scalars have them. */
function fieldLimits(field: FieldModel): Literal {
  const flags = "scalar" in field.type && hasLimits(field)
  return {
    nonEmpty: field.nonEmpty || undefined,
    pointer: (flags && field.pointer) || undefined,
    keepEmpty: (flags && field.keepEmpty && !field.nonEmpty) || undefined,
    absent: isReportedOtherwise(field) ? absentValue(field) : undefined,
    reportedAt: field.reportedAt,
    ...valueLimits(field),
  }
}

function valueLimits(constraints: Constraints): { readonly [word: string]: Literal | undefined } {
  const words = constraintTable.map((row) => {
    const limit = row.word === "enum" && constraints.openEnum === true ? undefined : limitOf(row, constraints)
    return [row.word, limit === undefined || typeof limit !== "object" ? limit : limit.map(plain)] as const
  })
  return {
    ...Object.fromEntries(words),
    items: partLimits(constraints.items),
    values: partLimits(constraints.values),
    keys: partLimits(constraints.keys),
    failures: constraints.failures && formsLiteral(constraints.failures),
  }
}

function partLimits(part: Constraints | undefined): Literal | undefined {
  return part === undefined || !hasLimits(part) ? undefined : valueLimits(part)
}

/** The forms of failures, as the schema states them. */
export function formsLiteral(forms: Readonly<Record<string, FailureForm | undefined>>): Literal {
  const entries = Object.entries(forms).map(([word, form]) => [word, form && { ...form, value: form.value && plain(form.value) }] as const)
  return Object.fromEntries(entries)
}
