/** `x-kubernetes-validations` to `rules`, `immutable` and `oneOf` of the dialect. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { expressionFromCel, formattedText } from "../expressions/from-cel.ts"
import { fieldNameOf } from "../expressions/escapes.ts"
import type { Path } from "../findings.ts"
import type { Words } from "./words.ts"

/** The rules of a struct, to which the rules of its fields are added. */
export interface FieldRules {
  /** Complete once all fields are read. */
  readonly list: readonly JsonObject[]
  /** Takes the rules of a field: returns the value of `immutable`, and moves the other rules to the struct. */
  takeField(name: string, words: Words, required: boolean): JsonValue | undefined
}

/** Where an item of the schema comes from, for faults that are found later. */
const origins = new WeakMap<object, Path>()

/** Remembers the origin of a rule, a column or a selectable field. */
export function withOrigin<Item extends JsonObject>(item: Item, path: Path): Item {
  origins.set(item, path)
  return item
}

/** The origin of an item in the definition. */
export function originOf(item: object): Path | undefined {
  return origins.get(item)
}

const unchanging = "self == oldSelf"
const immutableMessage = "field is immutable"
const bothOrNone = /^has\(self\.(\w+)\) == has\(oldSelf\.\1\)$/
const notRemoved = /^!has\(oldSelf\.(\w+)\) \|\| has\(self\.\1\)$/

/** Called for each struct before its fields are read. */
export function rulesOf(words: Words, required: ReadonlySet<string>): FieldRules {
  const word = words.extension("validations")
  const written = words.list(word).flatMap((rule, index) => (isObject(rule) ? [{ rule, at: [...words.at, word, index] }] : []))
  const presence = new Map<string, { readonly always: boolean; readonly rule: JsonObject; readonly at: Path }>()
  const own: JsonObject[] = []
  for (const { rule, at } of written) {
    const cel = textOf(rule.rule)
    const name = bothOrNone.exec(cel)?.[1] ?? notRemoved.exec(cel)?.[1]
    if (name !== undefined) presence.set(fieldNameOf(name), { always: bothOrNone.test(cel), rule, at })
    else if (cel !== unchanging || words.at.length === rootDepth) own.push(...ruleOf(rule, words, at, { required }))
  }
  const moved: JsonObject[] = []
  return {
    get list() {
      const unused = [...presence.values()].flatMap(({ rule, at }) => ruleOf(rule, words, at, { required }))
      return [...own.filter((rule) => groupOf(rule) === undefined), ...unused, ...moved]
    },
    takeField(name, inner, isRequired) {
      const isStruct = inner.schema.properties !== undefined
      const path = inner.extension("validations")
      const rules = inner.list(path).flatMap((rule, index) => (isObject(rule) ? [{ rule, at: [...inner.at, path, index] }] : []))
      const stable = rules.find(({ rule }) => textOf(rule.rule) === unchanging)
      const held = presence.get(name)
      const isImmutable = stable !== undefined && (isRequired || held !== undefined)
      if (isImmutable) presence.delete(name)
      if (isImmutable && (stable.rule.message !== immutableMessage || Object.keys(stable.rule).length > 2))
        words.findings.note(stable.at, `immutable: the message is "${immutableMessage}"`)
      for (const one of rules) {
        if ((isStruct || isImmutable) && one !== stable) {
          if (!isStruct) moved.push(...ruleOf(one.rule, inner, one.at, { required, field: name }))
        } else if (!isImmutable && (one === stable || !isStruct)) moved.push(...ruleOf(one.rule, inner, one.at, { required, field: name }))
      }
      return isImmutable ? (isRequired || held?.always === true ? true : "once-set") : undefined
    },
  }
}

/** The path of the schema of a version: `spec.versions[0].schema.openAPIV3Schema`. */
const rootDepth = 5

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trim() : ""
}

interface RulePlace {
  readonly required: ReadonlySet<string>
  readonly field?: string
}

const reasons: Readonly<Record<string, string>> = {
  FieldValueForbidden: "Forbidden",
  FieldValueRequired: "Required",
  FieldValueDuplicate: "Duplicate",
}

function ruleOf(rule: JsonObject, words: Words, at: Path, { required, field }: RulePlace): JsonObject[] {
  const { findings } = words
  const cel = textOf(rule.rule)
  const made = expressionFromCel(cel, required, field)
  if ("fault" in made) {
    findings.lost(at, `the rule \`${cel}\`: ${made.fault}`)
    return []
  }
  if (rule.optionalOldSelf === true) {
    findings.lost(at, `the rule \`${cel}\`: the dialect has no optional oldSelf`)
    return []
  }
  if (made.unguarded.length > 0)
    findings.note(
      at,
      `\`${cel}\` reads ${made.unguarded.join(", ")} without has(): absent is false here, and an error in CEL, both refused`,
    )
  const below = fieldPathOf(textOf(rule.fieldPath))
  if (below === undefined) findings.note([...at, "fieldPath"], "the failure names the value itself")
  const place = [field, below].filter((part) => part !== undefined && part !== "").join(".")
  const when = whenOf(made.usesOld, field, words.at.length === rootDepth)
  const reason = reasons[textOf(rule.reason)]
  const kept: JsonObject = {
    ...(made.usesOld && { on: "update" }),
    ...(when !== undefined && { when }),
    rule: made.text,
    ...(place !== "" && { at: place }),
    ...(reason !== undefined && { reason }),
    message: messageOf(rule, words, at, { required, ...(field !== undefined && { field }) }),
  }
  return [withOrigin(kept, at)]
}

/** A CEL rule is not evaluated while its value, or with oldSelf its old value, is absent. */
function whenOf(usesOld: boolean, field: string | undefined, isRoot: boolean): string | undefined {
  if (field !== undefined) return usesOld ? `has(${field}) && has(oldSelf.${field})` : `has(${field})`
  return usesOld && !isRoot ? "has(oldSelf)" : undefined
}

function messageOf(rule: JsonObject, words: Words, at: Path, { required, field }: RulePlace): string {
  const fixed = textOf(rule.message)
  const computed = textOf(rule.messageExpression)
  if (computed !== "") {
    const made = templateOf(computed, required, field)
    if ("text" in made) return made.text
    words.findings.lost([...at, "messageExpression"], `\`${computed}\`: ${made.fault}`)
  }
  if (fixed !== "" && !/\{\{|\}\}|\$\{/.test(fixed)) return fixed
  if (fixed !== "") words.findings.lost([...at, "message"], "braces are expressions in messages of the dialect")
  return `failed rule: ${textOf(rule.rule)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\{\{|\}\}|\$\{/g, "")}`
}

/** A message with its expressions in braces. */
function templateOf(
  cel: string,
  required: ReadonlySet<string>,
  field: string | undefined,
): { readonly text: string } | { readonly fault: string } {
  const { literals, values } = formattedText(cel) ?? { literals: ["", ""], values: [cel] }
  if (literals.some((literal) => /\{\{|\}\}|\$\{/.test(literal))) return { fault: "braces are expressions in messages of the dialect" }
  const parts: string[] = []
  for (const [index, literal] of literals.entries()) {
    parts.push(literal)
    const value = values[index]
    if (value === undefined) continue
    const made = expressionFromCel(value, required, field)
    if ("fault" in made) return made
    if (made.usesOld) return { fault: "it uses the stored object" }
    parts.push(`{{${made.text}}}`)
  }
  return { text: parts.join("") }
}

/** `.spec.size` → `spec.size`; undefined for a path that the dialect cannot express. */
function fieldPathOf(path: string): string | undefined {
  if (path === "") return ""
  const names = path.replaceAll(/\['([^']*)'\]/g, ".$1")
  return /^(\.[A-Za-z_$][\w$-]*)+$/.test(names) ? names.slice(1) : undefined
}

const groupRule = /^\[(has\([\w.]+\)(?:, has\([\w.]+\))+)\]\.filter\((\w+), \2\)\.size\(\) (==|<=) 1$/

/** The group of fields that a rule counts. */
function groupOf(rule: JsonObject): { readonly fields: readonly string[]; readonly required: boolean } | undefined {
  const [, calls = "", , operator] = groupRule.exec(textOf(rule.rule)) ?? []
  if (calls === "") return undefined
  const fields = [...calls.matchAll(/has\((?:self\.)?(\w+)\)/g)].map(([, name = ""]) => fieldNameOf(name))
  return { fields, required: operator === "==" }
}

/** `oneOf` of the dialect: from rules that count fields, and from the junctor whose members require one field each. */
export function ruleGroups(words: Words): JsonObject[] {
  const counted = words.list(words.extension("validations")).flatMap((rule) => {
    const cel = isObject(rule) ? textOf(rule.rule) : ""
    const group = groupOf({ rule: cel })
    return group === undefined ? [] : [{ fields: [...group.fields], ...(group.required && { required: true }) }]
  })
  const alternatives = Array.isArray(words.schema.oneOf) ? words.schema.oneOf : []
  const fields = alternatives.map(onlyRequired)
  if (fields.length < 2 || !fields.every((name) => name !== undefined)) return counted
  words.take("oneOf")
  return [...counted, { fields: [...fields], required: true }]
}

/** The field of `{required: [field]}`. */
function onlyRequired(schema: JsonValue): string | undefined {
  if (!isObject(schema) || Object.keys(schema).some((word) => word !== "required")) return undefined
  const [name, ...others] = Array.isArray(schema.required) ? schema.required : []
  return typeof name === "string" && others.length === 0 ? name : undefined
}
