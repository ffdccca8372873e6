/** Converts declared types to type models: checks their fields, rules, defaults and groups. */
import type { ValueInfo } from "../../model/expression/checked.ts"
import { expressionType, valueInfo } from "../../model/expression/field-types.ts"
import type { Expectation } from "../../model/expression/index.ts"
import type { DefaultRuleModel, FieldModel, GroupModel, RuleModel, TypeModel } from "../../model/model.ts"
import { type Block, textOf } from "./block.ts"
import { checkExpression, type Scope } from "./check-expression.ts"
import { canonicalList, withCanonicalDefault } from "./check-default.ts"
import { checkField } from "./check-field.ts"
import { checkFailures, checkSupported } from "./check-failures.ts"
import { checkReference } from "./check-reference.ts"
import { checkUnion } from "./check-union.ts"
import { checkDoc, checkPath, checkWords, type KnownNames } from "./checks.ts"
import type { TypeDeclaration } from "./declare.ts"
import { expectedWord } from "./diagnostic.ts"
import { failureReasons } from "./dialect-rules.ts"
import { failureForms, type FieldDeclaration, present } from "./fields.ts"
import type { SourceFile } from "./source.ts"
import { rootOf } from "./structs.ts"
import { parseTemplate } from "./template.ts"
import type { KnownType, TypeTable } from "./type-table.ts"
import { shownType } from "./type-text.ts"

interface Context {
  readonly type: TypeDeclaration
  readonly source: SourceFile
  readonly table: TypeTable
  readonly known: KnownNames
  readonly self: KnownType
  readonly root: KnownType
}

/** Called once per type, after all fields are declared. Reports errors in the type's file. */
export function typeModel(type: TypeDeclaration, table: TypeTable, known: KnownNames): TypeModel {
  const self: KnownType = { ref: type.name }
  const context: Context = { type, source: type.source, table, known, self, root: rootOf(type.name, table) }
  const fields = table.fields.get(type.name) ?? []
  // A type that a field declares has the field's doc.
  if (type.ofField === undefined) checkDoc(type.block, type.nameStart, `the type ${type.localName}`, type.source)
  checkImplied(fields, context)
  checkNames(fields, context)
  checkUnknown(fields, context)
  checkProtobufNames(fields, context)
  checkUnion(type, fields, table)
  for (const field of fields) {
    checkField(field, type.source, table)
    checkReference(field, type, table)
  }
  return {
    name: type.name,
    localName: type.localName,
    group: type.group,
    version: type.version,
    file: type.file,
    doc: type.block.text("doc") ?? "",
    fields: fields.map((field) => ({ ...withCanonicalDefault(field.model, table), ...uncheckedWhen(field, context) })),
    preserveUnknown: type.block.flag("preserveUnknown") ?? false,
    ...present({ union: type.block.word("union", [true]) }),
    ...present({ structType: type.block.word("structType", ["atomic", "granular"]) }),
    rules: type.block.blocks("rules").flatMap((block) => ruleModel(block, context)),
    defaults: type.block.blocks("defaults").flatMap((block) => defaultModel(block, context)),
    checks: checkWords(type.block, "checks", known.checks, type.source),
    oneOf: type.block.blocks("oneOf").map((block) => groupModel(block, context)),
  }
}

/** Fields that every kind has may be declared too, with the same type. */
function checkImplied(fields: readonly FieldDeclaration[], { type, source }: Context): void {
  if (!type.isKind) return
  const implied: Readonly<Record<string, string>> = { apiVersion: "string", kind: "string", metadata: "meta.v1.ObjectMeta" }
  for (const { model, block, known } of fields) {
    const right = Object.hasOwn(implied, model.name) ? implied[model.name] : undefined
    if (right !== undefined && model.nullable === true)
      source.report(block.start("nullable"), { found: `nullable on ${model.name} of a kind`, expected: "no nullable: every object has it" })
    if (right === undefined || !known || !block.has("type") || shownType(model.type) === right) continue
    source.report(block.start("type"), {
      found: `${model.name} of type ${shownType(model.type)} in a kind`,
      expected: `type: ${right}, or no such field: every kind has it`,
    })
  }
}

/** A JSON name may also belong to an inline struct; the collision is then reported at the inline field. */
function checkNames(fields: readonly FieldDeclaration[], { table, type, source }: Context): void {
  const owners = new Map<string, string>()
  for (const { model, nameStart } of fields) {
    if (model.inline && "ref" in model.type && table.holdsInline(model.type.ref, type.name)) {
      source.report(nameStart, {
        found: `the type ${type.name} inline in itself, by way of ${model.name}`,
        expected: "a field of its own, without inline",
      })
      continue
    }
    const names = model.inline && "ref" in model.type ? [...table.fieldsByName(model.type.ref, new Set([type.name])).keys()] : [model.name]
    for (const name of names) {
      const owner = owners.get(name)
      if (owner !== undefined)
        source.report(nameStart, {
          found: `a second field "${name}" in ${type.localName}, by way of ${model.name}`,
          expected: `another name: ${owner} has one`,
        })
      owners.set(name, model.name)
    }
  }
}

/**
 * Undeclared fields appear in the outer type, not in one of its inline types, so the outer type decides whether to keep
 * them.
 */
function checkUnknown(fields: readonly FieldDeclaration[], { table, type, source }: Context): void {
  if (table.preservesUnknown(type.name)) return
  for (const { model, nameStart } of fields) {
    if (!model.inline || !("ref" in model.type) || !table.preservesUnknown(model.type.ref)) continue
    source.report(nameStart, {
      found: `the inline type ${model.type.ref}, which preserves unknown fields, in ${type.localName}, which does not`,
      expected: `preserveUnknown: true in ${type.localName}, too`,
    })
  }
}

/** Protobuf field names share one namespace: a protoName must not be another field's name. */
function checkProtobufNames(fields: readonly FieldDeclaration[], { type, source }: Context): void {
  const owners = new Map<string, string>()
  for (const { model, block, nameStart } of fields) {
    if (model.number === undefined) continue
    const name = model.protoName ?? model.name
    const owner = owners.get(name)
    // Two fields with one JSON name are reported already.
    if (owner !== undefined && owner !== model.name)
      source.report(block.has("protoName") ? block.start("protoName") : nameStart, {
        found: `the compact name ${name} a second time in ${type.localName}`,
        expected: `another protoName: ${owner} has it`,
      })
    owners.set(name, model.name)
  }
}

/** The expression of `unchecked`. A group always validates the first of its fields that is set. */
function uncheckedWhen({ model, block }: FieldDeclaration, context: Context): Pick<FieldModel, "uncheckedWhen"> {
  if (block.flag("unchecked") !== undefined || !block.has("unchecked")) return {}
  const what = "the unchecked of a field"
  const expression = expressionAt(block, "unchecked", context, scopeOf(context, "rules", "never"), { want: "condition", what })
  if (context.type.block.blocks("oneOf").some((group) => group.texts("fields").includes(model.name)))
    context.source.report(block.start("unchecked"), {
      found: `an expression for unchecked on ${model.name}, a field of oneOf`,
      expected: "unchecked: true, or no such word: oneOf validates the first field that is set",
    })
  return present({ uncheckedWhen: expression })
}

function ruleModel(block: Block, context: Context): RuleModel[] {
  const on = block.word("on", ["any", "create", "update"]) ?? "any"
  const scope = scopeOf(context, "rules", on === "update" ? "update" : "never")
  const rule = expressionAt(block, "rule", context, scope, { want: "condition", what: "a rule" })
  const when = expressionAt(block, "when", context, scope, { want: "condition", what: "the when of a rule" })
  const at = block.text("at") ?? ""
  if (!at.startsWith(".")) checkPath(at, block.get("at"), context.self, context.source, context.table)
  const value = expressionAt(block, "value", context, scope, { want: "anything" })
  const message = block.text("message") ?? ""
  const node = block.get("message")
  const messageParts = node === undefined ? [] : parseTemplate(message, { ...context, node }, scope, "a message")
  if (rule === undefined) return []
  const reason = block.word("reason", failureReasons) ?? "Invalid"
  checkSupported(block, reason, context.source)
  const supported = block.has("supported") ? block.texts("supported") : undefined
  const before = block.text("before")
  const names = context.table.fieldsByName(context.type.name)
  if (before !== undefined && !names.has(before)) {
    const found = `unknown field "${before}" of ${context.type.name} in before`
    context.source.report(block.start("before"), { found, ...expectedWord(before, names.keys()) })
  }
  return [
    {
      rule,
      ...present({ before, when, value, supported, omitValue: block.word("omitValue", [true]) }),
      at,
      reason,
      message,
      messageParts,
      on,
    },
  ]
}

function defaultModel(block: Block, context: Context): DefaultRuleModel[] {
  const scope = scopeOf(context, "defaults", "never")
  const set = block.text("set") ?? ""
  const known = checkPath(set, block.get("set"), context.self, context.source, context.table)
  const force = block.flag("force") ?? false
  const field = set === "" ? undefined : context.table.fieldAt(context.self, set)
  const type = expressionType(set === "" ? undefined : known)
  const info: ValueInfo = field === undefined ? { type, absence: "absent" } : valueInfo(field)
  const scalar = field !== undefined && "scalar" in field.type ? field.type.scalar : undefined
  const constant = block.constant("to")
  const to = Array.isArray(constant)
    ? canonicalList(constant, field, { block, ...context })
    : expressionAt(block, "to", context, scope, { want: "field", path: set, info, scalar, force })
  const when = expressionAt(block, "when", context, scope, { want: "condition", what: "the when of a default" })
  return to === undefined ? [] : [{ set, to, ...present({ when }), force }]
}

function scopeOf(context: Context, place: Scope["place"], old: Scope["old"]): Scope {
  return { self: context.self, root: context.root, old, place, cells: context.known.cells }
}

function expressionAt(
  block: Block,
  word: string,
  { source, table }: Context,
  scope: Scope,
  expectation: Expectation,
): RuleModel["rule"] | undefined {
  const text = block.expressionText(word)
  const node = block.get(word)
  if (text === undefined || node === undefined || text === "") return undefined
  return checkExpression({ text, node, source, table }, scope, expectation)
}

function groupModel(block: Block, context: Context): GroupModel {
  const required = block.flag("required") ?? false
  checkFailures(block, required ? ["second", "required"] : ["second"], context.source)
  return { fields: groupFields(block, context), required, ...present({ failures: failureForms(block) }) }
}

function groupFields(block: Block, { table, type, source }: Context): string[] {
  const names = table.fieldsByName(type.name)
  for (const item of block.items("fields")) {
    const name = textOf(item)
    if (name !== undefined && !names.has(name))
      source.report(item.start, { found: `unknown field "${name}" of ${type.name}`, ...expectedWord(name, names.keys()) })
  }
  const fields = block.texts("fields")
  if (fields.length === 1) source.report(block.start("fields"), { found: "a group of one field", expected: "two or more fields" })
  return fields
}
