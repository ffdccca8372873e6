/** The compiled rules of a schema and of all below it: compiled when the first object is validated, and kept. */
import { type DeclaredType, declaredType } from "../../../cel/schema/declared-type.ts"
import { escapeName } from "../../../cel/schema/escape.ts"
import { readerOf, resourceReaderOf } from "../../../cel/schema/json-value.ts"
import type { Reader } from "../../../cel/schema/reader.ts"
import type { Structural } from "../structural.ts"
import { type CompiledRule, compileRules, selfTypeName, storedAges } from "./compile.ts"

/** Of a schema that has rules, or of which one below has. */
export interface RuleTree {
  readonly schema: Structural
  readonly rules: readonly CompiledRule[]
  /** One of them does. */
  readonly usesOldSelf: boolean
  /** Why no rule of this schema can be evaluated. */
  readonly fault?: string
  /** Makes the value of `self`. */
  readonly read: Reader
  readonly items?: RuleTree
  /** Of properties, the last one first. */
  readonly fieldsFromLast: readonly (readonly [name: string, tree: RuleTree])[]
  readonly values?: RuleTree
}

/** Undefined: no rules. */
type Known = { readonly tree: RuleTree | undefined }

const resources = new WeakMap<Structural, Known>()
const parts = new WeakMap<Structural, Known>()

/** The rules of a schema. `isResource`: its values are whole resources. Undefined: it has none. */
export function ruleTreeOf(schema: Structural, isResource: boolean): RuleTree | undefined {
  const cache = isResource ? resources : parts
  let known = cache.get(schema)
  if (known === undefined) {
    known = { tree: hasRules(schema) ? build(schema, isResource) : undefined }
    cache.set(schema, known)
  }
  return known.tree
}

function hasRules({ rules, items, properties, additionalProperties }: Structural): boolean {
  if (rules.length > 0 || (items !== undefined && hasRules(items))) return true
  if (typeof additionalProperties === "object" && hasRules(additionalProperties)) return true
  for (const property of properties.values()) if (hasRules(property)) return true
  return false
}

function build(schema: Structural, isResource: boolean): RuleTree | undefined {
  const type = declaredType(schema, selfTypeName, isResource)
  const { items, additionalProperties } = schema
  const itemTree = items && ruleTreeOf(items, items.embedded)
  const valueTree = typeof additionalProperties === "object" ? ruleTreeOf(additionalProperties, additionalProperties.embedded) : undefined
  return {
    schema,
    ...compiled(schema, type),
    read: isResource ? resourceReaderOf(schema) : readerOf(schema),
    fieldsFromLast: [...propertyTrees(schema, type)].reverse(),
    ...(itemTree !== undefined && { items: itemTree }),
    ...(valueTree !== undefined && { values: valueTree }),
  }
}

function compiled(schema: Structural, type: DeclaredType | undefined): Pick<RuleTree, "rules" | "usesOldSelf" | "fault"> {
  if (schema.rules.length === 0) return { rules: [], usesOldSelf: false }
  if (type === undefined) {
    return { rules: [], usesOldSelf: false, fault: "failed to convert to declType for CEL validation rules" }
  }
  const rules = compileRules(schema, type, storedAges)
  return { rules, usesOldSelf: rules.some((rule) => rule.usesOldSelf) }
}

/** Fields without a type are left out, with what is below them, unless rules could not name them anyway. */
function propertyTrees(schema: Structural, type: DeclaredType | undefined): ReadonlyMap<string, RuleTree> {
  const trees = new Map<string, RuleTree>()
  for (const [name, property] of schema.properties) {
    const escaped = escapeName(name)
    if (escaped !== undefined && type?.type.fields?.has(escaped) !== true) continue
    const tree = ruleTreeOf(property, property.embedded)
    if (tree !== undefined) trees.set(name, tree)
  }
  return trees
}
