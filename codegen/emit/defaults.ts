/** `defaults.ts`: one function per type that has a default in or below it. Other types are not walked. */
import type { DefaultRuleModel, FieldModel, FileModel, TypeModel } from "../../model/model.ts"
import { literal } from "../print/literal.ts"
import { type EmitContext, isFilled, leafRef, listItem, typeOf } from "./context.ts"
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
  const constants = type.fields.flatMap((field) => {
    if (field.default === undefined || !isFilled(field)) return []
    return [
      `${builder.runtime("setDefault")}(self, ${JSON.stringify(field.name)}, ${literal(plain(field.default))}${field.pointer ? ", true" : ""})`,
    ]
  })
  const nested = type.fields.flatMap((field) => below(builder, field))
  return [...constants, ...nested, ...type.defaults.map((one) => ruleLine(builder, type, one))]
}

function below(builder: FileBuilder, field: FieldModel): string[] {
  const ref = leafRef(field.type)
  if (ref === undefined || !builder.context.defaulted.has(ref)) return []
  const fill = builder.ofType(ref, "defaults", defaultName)
  const name = JSON.stringify(field.name)
  if (field.inline) return [`${fill}(self, context)`]
  if ("ref" in field.type) return [`${builder.runtime("defaultField")}(self, ${name}, context, ${fill}${field.pointer ? ", true" : ""})`]
  const item = listItem(field.type)
  if (item !== undefined && "ref" in item) return [`${builder.runtime("defaultItems")}(self, ${name}, context, ${fill})`]
  return [`${builder.runtime("defaultNested")}(self[${name}], context, ${literal(levels(field.type))}, ${fill})`]
}

function ruleLine(builder: FileBuilder, type: TypeModel, rule: DefaultRuleModel): string {
  const scope: ExpressionScope = { selfType: type.name, self: "self", root: "context.root", vendor: "context.vendor" }
  const path = rule.set.split(".")
  const flags = { pointer: fieldAt(builder.context.model, type.name, path)?.pointer === true || undefined, force: rule.force || undefined }
  const options = flags.pointer === undefined && flags.force === undefined ? "" : `, ${literal(flags)}`
  const line = `${builder.runtime("assign")}(self, ${literal(path)}, ${compileValue(builder, rule.to, scope)}${options})`
  return rule.when === undefined ? line : `if (${compileCondition(builder, rule.when, scope)}) ${line}`
}
