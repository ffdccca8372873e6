/** `defaults.ts`: one function per type that has a default in or below it. Other types are not walked. */
import type { DefaultRuleModel, FieldModel, FileModel, TypeModel } from "../../model/model.ts"
import { appliedDefault, isConstantList } from "../../model/defaults.ts"
import { literal } from "../print/literal.ts"
import { type EmitContext, leafRef, listItem, typeOf } from "./context.ts"
import { compileCondition, compileValue, type ExpressionScope, fieldAt } from "./expression.ts"
import { FileBuilder } from "./file-builder.ts"
import { defaultName } from "./names.ts"
import { plain } from "./shape.ts"
import { levels } from "./validate.ts"

/** The text of `defaults.ts`; without declarations when the file has no defaults. */
export function emitDefaults(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "defaults")
  const types = file.types.map((name) => typeOf(context, name)).filter((type) => context.defaulted.has(type.name))
  builder.reserve(...types.map((type) => defaultName(type.localName)))
  for (const type of types) {
    const lines = body(builder, type)
    const usesContext = lines.some((line) => /\bcontext\b/.test(line))
    builder.declare({
      declare: "function",
      name: defaultName(type.localName),
      parameters: [
        `self: ${builder.runtimeType("JsonObject")}`,
        `${usesContext ? "" : "_"}context: ${builder.runtimeType("DefaultingContext")}`,
      ],
      returns: "void",
      body: lines,
    })
  }
  return builder
}

function body(builder: FileBuilder, type: TypeModel): string[] {
  const constants = type.fields.flatMap((field) => constant(builder, field))
  const nested = type.fields.flatMap((field) => below(builder, field))
  return [...constants, ...nested, ...type.defaults.map((one) => ruleLine(builder, type, one))]
}

function constant(builder: FileBuilder, field: FieldModel): string[] {
  const applied = appliedDefault(field, builder.context.shapeOf)
  if (applied === undefined) return []
  const parameters = `self, ${JSON.stringify(field.name)}, ${literal(plain(applied.value))}`
  if (field.pointer) return [`${builder.runtime("setDefault")}(${parameters}, ${field.nullable === true ? '"nullable"' : true})`]
  if (applied.zero === undefined) return [`${builder.runtime("setDefault")}(${parameters})`]
  return [`${builder.runtime("replaceZero")}(${parameters}, ${literal(plain(applied.zero))})`]
}

function below(builder: FileBuilder, field: FieldModel): string[] {
  const ref = leafRef(field.type)
  if (ref === undefined || !builder.context.defaulted.has(ref)) return []
  const fill = builder.ofType(ref, "defaults", defaultName)
  const name = JSON.stringify(field.name)
  if (field.inline) return [`${fill}(self, context)`]
  const plain = field.selfContained === true ? "defaultSelfContained" : "defaultField"
  if ("ref" in field.type) return [`${builder.runtime(plain)}(self, ${name}, context, ${fill}${field.pointer ? ", true" : ""})`]
  const item = listItem(field.type)
  if (item !== undefined && "ref" in item) return [`${builder.runtime("defaultItems")}(self, ${name}, context, ${fill})`]
  return [`${builder.runtime("defaultNested")}(self[${name}], context, ${literal(levels(field.type))}, ${fill})`]
}

function ruleLine(builder: FileBuilder, type: TypeModel, rule: DefaultRuleModel): string {
  const scope: ExpressionScope = { self: "self", root: "context.root", vendor: "context.vendor" }
  const path = rule.set.split(".")
  const field = fieldAt(builder.context.model, type.name, path)
  const pointer = field?.nullable === true ? "nullable" : field?.pointer === true || undefined
  const flags = { pointer, force: rule.force || undefined, as: canonicalAs(field) }
  const options = Object.values(flags).every((flag) => flag === undefined) ? "" : `, ${literal(flags)}`
  const { to } = rule
  const value = isConstantList(to) ? literal(plain([...to])) : compileValue(builder, to, scope)
  const line = `${builder.runtime("assign")}(self, ${literal(path)}, ${value}${options})`
  return rule.when === undefined ? line : `if (${compileCondition(builder, rule.when, scope)}) ${line}`
}

/** The scalars that have a canonical text; a computed value may be in another form. */
const texts: ReadonlySet<string> = new Set(["Duration", "Quantity", "Time", "MicroTime"])

function canonicalAs(field: FieldModel | undefined): string | undefined {
  return field !== undefined && "scalar" in field.type && texts.has(field.type.scalar) ? field.type.scalar : undefined
}
