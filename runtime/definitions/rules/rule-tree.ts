/** The rules of a schema and all schemas below it: gathered when the first object is validated, then cached. */
import { type DeclaredType, declaredType } from "../../../cel/schema/declared-type.ts"
import { escapeName } from "../../../cel/schema/escape.ts"
import { readerOf, resourceReaderOf } from "../../../cel/schema/json-value.ts"
import type { Reader } from "../../../cel/schema/reader.ts"
import { type Stages, Turns } from "../../base/turns.ts"
import type { Structural } from "../structural.ts"
import { selfTypeName } from "./compile.ts"
import { NodeRules } from "./node-rules.ts"

/** Rules of a schema that has rules, or has schemas with rules below it. */
export interface RuleTree {
  readonly schema: Structural
  readonly rules: NodeRules
  /** Makes the CEL value of `self`. */
  readonly read: Reader
  readonly items?: RuleTree
  /** Trees of properties, in reverse order. */
  readonly fieldsFromLast: readonly (readonly [name: string, tree: RuleTree])[]
  readonly values?: RuleTree
}

/** Undefined: no rules. */
type Known = { readonly tree: RuleTree | undefined }

const resources = new WeakMap<Structural, Known>()
const parts = new WeakMap<Structural, Known>()

/** The rules of a schema already gathered by `gatheringRules`; undefined before. Used to validate each object. */
export function knownRules(schema: Structural, isResource: boolean): Known | undefined {
  return (isResource ? resources : parts).get(schema)
}

/**
 * Gathers the rules of a schema, in stages. `isResource`: whether its values are whole resources. Returns undefined
 * without any rules. The work is proportional to the schema.
 */
export function* gatheringRules(schema: Structural, isResource: boolean): Stages<RuleTree | undefined> {
  return yield* treeOf(schema, isResource, new Turns())
}

/** Work of gathering the rules of one schema, in the unit of turns. */
const nodeWork = 5

function* treeOf(schema: Structural, isResource: boolean, turns: Turns): Stages<RuleTree | undefined> {
  const known = knownRules(schema, isResource)
  if (known !== undefined) return known.tree
  const tree = yield* makeTree(schema, isResource, turns)
  const cache = isResource ? resources : parts
  cache.set(schema, { tree })
  return tree
}

function* makeTree(schema: Structural, isResource: boolean, turns: Turns): Stages<RuleTree | undefined> {
  if (turns.endsStage(nodeWork)) yield
  const { items, additionalProperties, properties } = schema
  const type = declaredType(schema, selfTypeName, isResource)
  const itemTree = items && (yield* treeOf(items, items.embedded, turns))
  const valueTree =
    typeof additionalProperties === "object" ? yield* treeOf(additionalProperties, additionalProperties.embedded, turns) : undefined
  const fields: (readonly [name: string, tree: RuleTree])[] = []
  for (const [name, property] of properties) {
    const tree = yield* treeOf(property, property.embedded, turns)
    if (tree !== undefined && isSeen(name, type)) fields.push([name, tree])
  }
  if (schema.rules.length === 0 && itemTree === undefined && valueTree === undefined && fields.length === 0) return undefined
  return {
    schema,
    rules: new NodeRules(schema, type),
    read: isResource ? resourceReaderOf(schema) : readerOf(schema),
    fieldsFromLast: fields.reverse(),
    ...(itemTree !== undefined && { items: itemTree }),
    ...(valueTree !== undefined && { values: valueTree }),
  }
}

/** Skips fields without a type, and their content, unless rules could not name them anyway. */
function isSeen(name: string, type: DeclaredType | undefined): boolean {
  const escaped = escapeName(name)
  return escaped === undefined || type?.type.fields?.has(escaped) === true
}
