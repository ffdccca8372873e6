/** Rules of definitions: from `immutable`, `rules` and `oneOf` of the dialect. */
import type { JsonObject } from "../../../runtime/base/json.ts"
import { childTrees } from "../../../model/expression/trees.ts"
import type { ExpressionTree, FieldModel, RuleModel, TemplatePart, TypeModel } from "../../../model/model.ts"
import { typeIn } from "../../../model/openapi/source.ts"
import { celNameOf } from "../expressions/escapes.ts"
import { literalText, NotInCel } from "../expressions/cel-text.ts"
import { type CelField, type CelScope, conditionInCel, textInCel, valueInCel } from "../expressions/to-cel.ts"
import type { Path } from "../findings.ts"
import { oneLine } from "../names.ts"
import { flatFields, isCertain, partOf, type SchemaWriter, type ValuePlace } from "./fields.ts"

/** The rules of an unchanging field; none where a server does not find its old value. */
export function fieldValidations({ immutable }: FieldModel, isCorrelated: boolean): readonly JsonObject[] {
  return immutable === false || !isCorrelated ? [] : [{ rule: "self == oldSelf", message: "field is immutable" }]
}

/** Rules against appearing and disappearing: a rule of a field is not evaluated while either value is absent. */
export function presenceRules(fields: readonly FieldModel[], schema: JsonObject, { isCorrelated }: ValuePlace): readonly JsonObject[] {
  return fields.flatMap(({ name, immutable }) => {
    const cel = celNameOf(name)
    if (immutable === false || !isCorrelated || cel === undefined || isCertain(name, schema)) return []
    const rule = immutable === true ? `has(self.${cel}) == has(oldSelf.${cel})` : `!has(oldSelf.${cel}) || has(self.${cel})`
    return [{ rule, message: "field is immutable", fieldPath: `.${name}` }]
  })
}

interface TypePlace {
  readonly writer: SchemaWriter
  readonly place: ValuePlace
  /** The schema of the struct, without its rules. */
  readonly schema: JsonObject
  readonly isRoot: boolean
  readonly type: TypeModel
}

interface TypeValidations {
  readonly rules: readonly JsonObject[]
  /** Rules that belong to one field. */
  readonly moved: readonly { readonly field: string; readonly rule: JsonObject }[]
  readonly junctors: JsonObject
}

/** The rules of a struct and of its inline structs. Reports rules that CEL cannot express. */
export function typeValidations(types: readonly TypeModel[], place: TypePlace): TypeValidations {
  const rules: JsonObject[] = []
  const moved: { field: string; rule: JsonObject }[] = []
  for (const rule of types.flatMap((type) => type.rules)) {
    const made = written(rule, place)
    if (made === undefined) continue
    if (made.field === undefined) rules.push(made.rule)
    else moved.push({ field: made.field, rule: made.rule })
  }
  const groups = types.flatMap((type) => type.oneOf)
  const exact = groups.filter(({ required }) => required)
  rules.push(...groups.filter(({ required }) => !required).map(({ fields }) => atMostOne(fields)))
  return { rules, moved, junctors: junctorsOf(exact.map(({ fields }) => fields)) }
}

function atMostOne(fields: readonly string[]): JsonObject {
  const tests = fields.map((field) => `has(self.${celNameOf(field) ?? field})`).join(", ")
  return {
    rule: `[${tests}].filter(x, x).size() <= 1`,
    message: `at most one of ${fields.join(", ")} may be set`,
    reason: "FieldValueForbidden",
  }
}

/** Exactly one of some fields becomes a junctor of the schema. */
function junctorsOf(groups: readonly (readonly string[])[]): JsonObject {
  const junctors = groups.map((fields): JsonObject => ({ oneOf: fields.map((field) => ({ required: [field] })) }))
  const [only, ...others] = junctors
  return only === undefined || others.length === 0 ? (only ?? {}) : { allOf: junctors }
}

function written(rule: RuleModel, place: TypePlace): { readonly field?: string; readonly rule: JsonObject } | undefined {
  const { findings } = place.writer
  const path: Path = [...place.place.path, "rules"]
  const lost = (reason: string): undefined => {
    findings.lost(path, `\`${rule.rule.text}\`: ${reason}`)
    return undefined
  }
  const trees = [rule.rule.tree, ...(rule.when === undefined ? [] : [rule.when.tree])]
  const usesOld = trees.some((tree) => namesOf(tree).has("oldSelf") || namesOf(tree).has("oldRoot"))
  if (rule.on === "create" || (rule.on === "update" && !usesOld)) return lost(`definitions do not know the operation ${rule.on}`)
  if (usesOld && !place.place.isCorrelated) return lost("items of a list that is replaced as a whole have no old value")
  try {
    const field = fieldOfRule(rule)
    if (field !== undefined) {
      const known = flatFields(place.type, place.writer.source).find(({ name }) => name === field)
      if (known === undefined) return lost(`${field} is no field`)
      const scope: CelScope = { ...scopeOf(place), self: known.type, isRoot: false }
      const made = ofField(rule, field)
      return { field, rule: assembled(conditionInCel(made.rule.tree, undefined, scope), made, scope, path, place) }
    }
    const scope = scopeOf(place)
    return { rule: assembled(conditionInCel(rule.rule.tree, rule.when?.tree, scope), rule, scope, path, place) }
  } catch (error) {
    if (error instanceof NotInCel) return lost(`CEL cannot say it: ${error.message}`)
    throw error
  }
}

const reasons: Readonly<Partial<Record<RuleModel["reason"], string>>> = {
  Forbidden: "FieldValueForbidden",
  Required: "FieldValueRequired",
  Duplicate: "FieldValueDuplicate",
}

function assembled(cel: string, rule: RuleModel, scope: CelScope, path: Path, { writer }: TypePlace): JsonObject {
  const reason = reasons[rule.reason]
  if (reason === undefined && rule.reason !== "Invalid")
    writer.findings.note([...path, "reason"], `definitions have no reason ${rule.reason}: it is FieldValueInvalid`)
  const isPath = /^[A-Za-z_$][\w$-]*(\.[A-Za-z_$][\w$-]*)*$/.test(rule.at)
  if (!isPath && rule.at !== "") writer.findings.note([...path, "at"], `the failure names the value itself, not ${rule.at}`)
  return {
    rule: cel,
    ...messageOf(rule, scope, path, writer),
    ...(reason !== undefined && { reason }),
    ...(isPath && { fieldPath: `.${rule.at}` }),
  }
}

/** Leaves out the message that servers write by default. */
function messageOf(rule: RuleModel, scope: CelScope, path: Path, { findings }: SchemaWriter): JsonObject {
  if (rule.message.startsWith("failed rule: ")) return {}
  if (rule.messageParts.every((part) => typeof part === "string")) return rule.message === "" ? {} : { message: oneLine(rule.message) }
  try {
    return { messageExpression: formatted(rule.messageParts, scope) }
  } catch (error) {
    if (!(error instanceof NotInCel)) throw error
    findings.note([...path, "message"], `\`${rule.message}\` names its expressions: ${error.message}`)
    return { message: rule.messageParts.map(plainPart).join("") }
  }
}

/** One value alone, or a text with values. Servers estimate a low cost for `format`, a high one for sums of texts. */
function formatted(parts: readonly TemplatePart[], scope: CelScope): string {
  const [only, ...others] = parts
  if (only !== undefined && typeof only !== "string" && others.length === 0) return textInCel(only.tree, scope)
  const values = parts.flatMap((part) => (typeof part === "string" ? [] : [valueInCel(part.tree, scope)]))
  const text = parts.map((part) => (typeof part === "string" ? part.replaceAll("%", "%%") : "%s")).join("")
  return `${literalText(text)}.format([${values.join(", ")}])`
}

function plainPart(part: TemplatePart): string {
  return typeof part === "string" ? part : part.text
}

/** The field of a rule about one field alone, in the form that reading a definition writes. */
function fieldOfRule({ rule, when, at }: RuleModel): string | undefined {
  const [field = ""] = at.split(".")
  if (field === "" || when === undefined) return undefined
  const parts = conjuncts(when.tree)
  const tested = parts.map((part) => (part.node === "call" && part.function === "has" ? fieldAndOwner(part.arguments[0]) : undefined))
  const isTest = tested.length > 0 && tested.every((one) => one?.field === field)
  const usesOld = namesOf(rule.tree).has("oldSelf")
  const owners = tested.map((one) => one?.owner)
  if (!isTest || !owners.includes("self") || owners.includes("oldSelf") !== usesOld) return undefined
  return isAbout(rule.tree, field) ? field : undefined
}

function conjuncts(tree: ExpressionTree): readonly ExpressionTree[] {
  return tree.node === "binary" && tree.operator === "&&" ? [...conjuncts(tree.left), ...conjuncts(tree.right)] : [tree]
}

function fieldAndOwner(tree: ExpressionTree | undefined): { readonly field: string; readonly owner: string } | undefined {
  if (tree?.node === "name" && tree.name !== "self" && tree.name !== "oldSelf") return { field: tree.name, owner: "self" }
  if (tree?.node !== "select" || tree.of.node !== "name" || !["self", "oldSelf"].includes(tree.of.name)) return undefined
  return { field: tree.field, owner: tree.of.name }
}

/** Whether an expression reads one field of the struct and nothing else. */
function isAbout(tree: ExpressionTree, field: string, variables: ReadonlySet<string> = new Set()): boolean {
  const own = fieldAndOwner(tree)
  if (own !== undefined && !(tree.node === "name" && variables.has(tree.name))) return own.field === field
  if (tree.node === "name") return variables.has(tree.name)
  const inner = tree.node === "macro" ? new Set([...variables, tree.variable]) : variables
  return childTrees(tree).every((child) => isAbout(child, field, tree.node === "macro" && child === tree.body ? inner : variables))
}

/** The rule with the field as `self`. */
function ofField(rule: RuleModel, field: string): RuleModel {
  const change = (tree: ExpressionTree): ExpressionTree => {
    const own = fieldAndOwner(tree)
    return own?.field === field ? { node: "name", name: own.owner } : withChildren(tree, change)
  }
  const parts = rule.messageParts.map((part) => (typeof part === "string" ? part : { ...part, tree: change(part.tree) }))
  const { when: _tested, ...rest } = rule
  return { ...rest, rule: { ...rule.rule, tree: change(rule.rule.tree) }, messageParts: parts, at: rule.at.slice(field.length + 1) }
}

function withChildren(tree: ExpressionTree, change: (tree: ExpressionTree) => ExpressionTree): ExpressionTree {
  switch (tree.node) {
    case "literal":
    case "name":
      return tree
    case "select":
    case "unary":
    case "convert":
      return { ...tree, of: change(tree.of) }
    case "index":
      return { ...tree, of: change(tree.of), index: change(tree.index) }
    case "call":
      return { ...tree, ...(tree.target !== undefined && { target: change(tree.target) }), arguments: tree.arguments.map(change) }
    case "binary":
      return { ...tree, left: change(tree.left), right: change(tree.right) }
    case "conditional":
      return { ...tree, test: change(tree.test), then: change(tree.then), otherwise: change(tree.otherwise) }
    case "list":
      return { ...tree, items: tree.items.map(change) }
    case "macro":
      return { ...tree, of: change(tree.of), body: change(tree.body) }
  }
}

function namesOf(tree: ExpressionTree): ReadonlySet<string> {
  const own: readonly string[] = tree.node === "name" ? [tree.name] : []
  return new Set([...own, ...childTrees(tree).flatMap((child) => [...namesOf(child)])])
}

const zeroScalars: ReadonlySet<string> = new Set(["string", "boolean", "int32", "int64", "double"])
/** The members of metadata that rules of a definition can read. */
const metadataFields: ReadonlySet<string> = new Set(["name", "generateName"])

function scopeOf({ writer, isRoot, type }: TypePlace): CelScope {
  return {
    self: { ref: type.name },
    isRoot,
    field: (struct, name): CelField | undefined => {
      const owner = typeIn(writer.source, struct)
      const field = flatFields(owner, writer.source).find((one) => one.name === name)
      if (field === undefined) return undefined
      const isObjectOwn = isRoot && struct === type.name && ["apiVersion", "kind", "metadata"].includes(name)
      if (struct === "meta.v1.ObjectMeta" && !metadataFields.has(name)) return undefined
      const zero = !field.pointer && "scalar" in field.type && zeroScalars.has(field.type.scalar)
      return {
        type: field.type,
        isCertain: isObjectOwn || (struct === "meta.v1.ObjectMeta" && name === "name") || isCertain(name, writer.published(owner)),
        isZero: zero,
        isEmptyAbsent: !field.pointer && partOf(field.type) !== undefined,
      }
    },
  }
}
