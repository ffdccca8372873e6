/**
 * `validate.ts`: one function per type, one call per fact. Types with nothing to validate in or below them have no
 * function.
 */
import type { ExpressionModel, FieldModel, FileModel, RuleModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { Code, literal } from "../print/literal.ts"
import { absentValue, declareLimits, fieldCheck, formsLiteral, limitLines } from "./constraints.ts"
import { type EmitContext, kindOfType, leafRef, listItem, typeOf } from "./context.ts"
import { compileMessage, compileRule, compileValue, type ExpressionScope, fieldAt } from "./expression.ts"
import { FileBuilder } from "./file-builder.ts"
import { groupName, limitsName, validateName } from "./names.ts"

/** The text of `validate.ts`; without declarations when the file has nothing to validate. */
export function emitValidate(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "validate")
  const types = file.types.map((name) => typeOf(context, name)).filter((type) => context.validated.has(type.name))
  builder.reserve(
    ...types.flatMap((type) => [
      validateName(type.localName),
      limitsName(type.localName),
      ...type.oneOf.map((_, index) => groupName(type.localName, index)),
    ]),
  )
  for (const type of types) {
    declareLimits(builder, type)
    declareGroups(builder, type)
    builder.declare({
      declare: "function",
      name: validateName(type.localName),
      parameters: [`self: ${builder.runtimeType("JsonObject")}`, `context: ${builder.runtimeType("CheckContext")}`],
      returns: "void",
      body: body(builder, type),
    })
  }
  return builder
}

function body(builder: FileBuilder, type: TypeModel): string[] {
  const before = (name: string): string[] => type.rules.filter((rule) => rule.before === name).map((rule) => ruleLine(builder, type, rule))
  const { lines, limited } = limitLines(builder, type, before)
  for (const field of type.fields) lines.push(...(limited.has(field.name) ? [] : before(field.name)), ...fieldLines(builder, type, field))
  for (const index of type.oneOf.keys()) lines.push(`${builder.runtime("oneOf")}(self, context, ${groupName(type.localName, index)})`)
  for (const one of type.rules) if (one.before === undefined) lines.push(ruleLine(builder, type, one))
  // As in kube-apiserver, the new state is validated first, then the change.
  for (const field of type.fields) lines.push(...changeLines(builder, type, field))
  for (const name of type.checks) lines.push(`${builder.runtime("named")}(${builder.behaviour("checks", name)}, self, context)`)
  return lines
}

/** The validator of the struct that a field's value, its items or its map values have. */
function validatorOf(builder: FileBuilder, field: FieldModel): string | undefined {
  const ref = leafRef(field.type)
  const hasOne = ref !== undefined && field.unchecked !== true && builder.context.validated.has(ref)
  return hasOne ? builder.ofType(ref, "validate", validateName) : undefined
}

/** Whether the call for a group validates the field, whose value is an object. */
const isMember = (type: TypeModel, field: FieldModel): boolean =>
  "ref" in field.type && !field.inline && type.oneOf.some(({ fields }) => fields.includes(field.name))

/** Declares the constant of each group of fields, with the validators of their values. */
function declareGroups(builder: FileBuilder, type: TypeModel): void {
  for (const [index, { fields, required, failures }] of type.oneOf.entries()) {
    const members = fields.map((name) => {
      const field = type.fields.find((one) => one.name === name)
      const validate = field === undefined || !isMember(type, field) ? undefined : validatorOf(builder, field)
      return validate === undefined ? name : { name, validate: new Code(validate), shown: field?.reportedAt }
    })
    const forms = failures === undefined ? "" : `, ${literal(formsLiteral({ ...failures }))}`
    const value = `${builder.runtime("group")}(${literal(members)}, ${required}${forms})`
    builder.declare({ declare: "constant", name: groupName(type.localName, index), exported: false, value })
  }
}

function fieldLines(builder: FileBuilder, type: TypeModel, field: FieldModel): string[] {
  const name = JSON.stringify(field.name)
  const lines: string[] = []
  const validate = isMember(type, field) ? undefined : validatorOf(builder, field)
  if (validate !== undefined) {
    const call = below(builder, field, validate)
    const isOwnMetadata = kindOfType(builder.context, type) !== undefined && field.name === "metadata"
    lines.push(isOwnMetadata ? `if (!context.isRoot) ${call}` : unlessUnchecked(builder, field, call))
  }
  const told = field.inline ? "" : fieldCheck(type, field)
  for (const fields of field.unique) lines.push(`${builder.runtime("unique")}(self, ${name}, context, ${literal(fields)}${told})`)
  if (field.distinct !== undefined) lines.push(`${builder.runtime("distinct")}(self, ${name}, context, ${literal(field.distinct)}${told})`)
  if (field.references !== undefined)
    lines.push(`${builder.runtime("references")}(self, ${name}, context, ${literal({ ...field.references })})`)
  if (field.requiredOn !== undefined) lines.push(`${builder.runtime("requiredOn")}(self, ${name}, context, "${field.requiredOn}"${told})`)
  return lines
}

/** The call, unless the expression of `unchecked` is true. */
function unlessUnchecked(builder: FileBuilder, { uncheckedWhen }: FieldModel, call: string): string {
  if (uncheckedWhen === undefined) return call
  const condition = compileRule(builder, uncheckedWhen, undefined, { self: "self", root: "context.root", vendor: "context.vendor" })
  return `// not when ${written(uncheckedWhen)}\nif (!(${condition})) ${call}`
}

function changeLines(builder: FileBuilder, type: TypeModel, field: FieldModel): string[] {
  if (field.immutable === false) return []
  const told = field.inline ? "" : fieldCheck(type, field)
  const when = field.immutable === true ? "always" : field.immutable
  return [`${builder.runtime("immutable")}(self, ${JSON.stringify(field.name)}, context, "${when}"${told})`]
}

/** The call that validates the value of a field. */
function below(builder: FileBuilder, field: FieldModel, validate: string): string {
  const name = JSON.stringify(field.name)
  const { type } = field
  if (field.inline) return `${validate}(self, context)`
  const shown = field.reportedAt === undefined ? "" : `, ${JSON.stringify(field.reportedAt)}`
  if ("ref" in type)
    return `${builder.runtime(field.selfContained === true ? "selfContained" : "field")}(self, ${name}, context, ${validate}${shown})`
  const item = listItem(type)
  if (item !== undefined && "ref" in item) {
    const keys = field.listType === "map" && field.mapKeys !== undefined ? `, ${literal(field.mapKeys)}` : shown === "" ? "" : ", undefined"
    return `${builder.runtime("items")}(self, ${name}, context, ${validate}${keys}${shown})`
  }
  if ("map" in type && "ref" in type.map) return `${builder.runtime("entries")}(self, ${name}, context, ${validate}${shown})`
  return `${builder.runtime("nested")}(self[${name}], context.field(${name}${shown}), ${literal(levels(type))}, ${validate})`
}

/** The lists and maps between a field and its named type, outermost first. */
export function levels(type: TypeRefModel): ("list" | "map")[] {
  const item = listItem(type)
  if (item !== undefined) return ["list", ...levels(item)]
  return "map" in type ? ["map", ...levels(type.map)] : []
}

/** The scope of a rule. */
function ruleScope(rule: RuleModel): ExpressionScope {
  const old = rule.on === "update" ? { oldSelf: "context.old", oldRoot: "context.oldRoot" } : {}
  return { self: "self", root: "context.root", vendor: "context.vendor", ...old }
}

/** Reasons whose message shows the value. */
const reasonsWithValue: ReadonlySet<string> = new Set(["Invalid", "NotSupported", "Duplicate", "NotFound"])

function ruleLine(builder: FileBuilder, type: TypeModel, rule: RuleModel): string {
  const scope = ruleScope(rule)
  const condition = compileRule(builder, rule.rule, rule.when, scope)
  const message = new Code(compileMessage(builder, rule.messageParts, scope))
  const field = rule.at === "" ? undefined : fieldAt(builder.context.model, type.name, rule.at.split("."))
  const absent = field === undefined || !reasonsWithValue.has(rule.reason) ? undefined : absentValue(field)
  const value = rule.value === undefined ? undefined : new Code(`() => ${compileValue(builder, rule.value, scope)}`)
  const { supported, omitValue } = rule
  const fault = literal({
    type: rule.reason,
    at: rule.at,
    absent,
    value,
    omitValue,
    supported,
    message,
    on: rule.on === "any" ? undefined : rule.on,
  })
  const line = `${builder.runtime("rule")}(${condition}, self, context, ${fault})`
  const call = line.length <= 130 ? line : `${builder.runtime("rule")}(\n  ${condition},\n  self,\n  context,\n  ${fault},\n)`
  const when = rule.when === undefined ? "" : `when ${written(rule.when)}: `
  return `// ${when}${written(rule.rule)}\n${call}`
}

/** An expression as its author wrote it, on one line. */
function written({ text }: ExpressionModel): string {
  const lines = text.split(/[\r\n\u2028\u2029]/).map((line) => line.trim())
  return lines.filter((line) => line !== "").join(" ")
}
