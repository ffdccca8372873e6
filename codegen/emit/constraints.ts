/**
 * The limits of each type's own fields as data, and the calls that check them, both in `validate.ts`. Nested types have
 * limits of their own, so a shared type's limits exist once. runtime/schema/check-limits.ts compiles them on first use.
 */
import type { Constraints, FieldModel, TypeModel } from "../../model/model.ts"
import { constraintTable, limitOf } from "../../runtime/schema/constraints.ts"
import { type Literal, literal } from "../print/literal.ts"
import { type EmitContext, hasConstraints, hasLimits, kindOfType } from "./context.ts"
import type { FileBuilder } from "./file-builder.ts"
import { limitsName } from "./names.ts"
import { plain } from "./shape.ts"

/** Declares the limits of a type's fields, if any has limits. Called before `limitLines`. */
export function declareLimits(builder: FileBuilder, type: TypeModel): void {
  const fields = ownFields(builder.context, type).filter(hasLimits)
  if (fields.length === 0) return
  const limits = Object.fromEntries(fields.map((field) => [field.name, fieldLimits(field)]))
  builder.declare({
    declare: "constant",
    name: limitsName(type.localName),
    exported: false,
    value: `${builder.runtime("limits")}(${literal(limits)})`,
  })
}

/** The calls that check the type's own fields: those that must be present, then the limits of each. */
export function limitLines(builder: FileBuilder, type: TypeModel): string[] {
  const fields = ownFields(builder.context, type)
  const presence = (word: "nonEmpty" | "required" | "requiredOrNull", { name }: FieldModel): string =>
    `${builder.runtime(word)}(${member("self", name)}, ${JSON.stringify(name)}, context)`
  const limited = fields.filter(hasLimits).map(({ name }) => {
    const limit = member(limitsName(type.localName), name)
    return `${builder.runtime("limited")}(${member("self", name)}, context, ${limit})`
  })
  return [
    ...fields.filter((field) => field.nonEmpty).map((field) => presence("nonEmpty", field)),
    ...fields
      .filter((field) => field.required === true && !field.nonEmpty)
      .map((field) => presence(field.nullable === true ? "requiredOrNull" : "required", field)),
    ...limited,
  ]
}

function member(of: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`
}

/** The registry validates the metadata of a whole object, for all kinds alike. */
function ownFields(context: EmitContext, type: TypeModel): readonly FieldModel[] {
  const isKind = kindOfType(context, type) !== undefined
  return type.fields.filter((field) => !field.inline && !(isKind && field.name === "metadata") && hasConstraints(field))
}

/** The flags decide about empty texts, so only scalars have them. */
function fieldLimits(field: FieldModel): Literal {
  const flags = "scalar" in field.type && hasLimits(field)
  return {
    nonEmpty: field.nonEmpty || undefined,
    pointer: (flags && field.pointer) || undefined,
    keepEmpty: (flags && field.keepEmpty && !field.nonEmpty) || undefined,
    ...valueLimits(field),
  }
}

function valueLimits(constraints: Constraints): { readonly [word: string]: Literal | undefined } {
  const words = constraintTable.map((row) => {
    const limit = limitOf(row, constraints)
    return [row.word, limit === undefined || typeof limit !== "object" ? limit : limit.map(plain)] as const
  })
  return {
    ...Object.fromEntries(words),
    items: partLimits(constraints.items),
    values: partLimits(constraints.values),
    keys: partLimits(constraints.keys),
  }
}

function partLimits(part: Constraints | undefined): Literal | undefined {
  return part === undefined || !hasLimits(part) ? undefined : valueLimits(part)
}
