/**
 * Checks the content of a schema, node by node: unsupported keywords, forbidden defaults, list types and rules. Runs
 * for every schema, structural or not.
 */
import { Failures } from "../../base/failure.ts"
import { checkListTypes, type ListTypeRules } from "./list-types.ts"
import { checkRuleTexts } from "./rule-texts.ts"
import type { SchemaProps } from "./schema-props.ts"

const types = ["array", "boolean", "integer", "number", "object", "string"]
const resourceFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"])

export interface WalkRules extends ListTypeRules {
  /** The vendor's `extensionPrefix`. */
  readonly prefix: string
  /** A type must be one of JSON Schema's. */
  readonly knownTypes: boolean
}

/** State that a node inherits from the nodes above it. */
interface Inherited {
  /** Why defaults are forbidden; undefined where they are allowed. */
  readonly noDefaults: string | undefined
  /** Whether the node is, or is part of, `apiVersion`, `kind` or `metadata` of a resource. */
  readonly insideMeta: boolean
  /** The topmost node whose parts cannot be matched between two states of an object. */
  readonly uncorrelatable: string | undefined
}

/** Compiles and checks the rules of one node. Called only if neither the node nor nodes below it have failures. */
export type RuleCheck<Node> = (schema: SchemaProps, path: string, node: Node, uncorrelatable: string | undefined) => void

/** Nodes for the checks of rules; each is derived from its parent's node. */
export interface RuleNodes<Node> {
  readonly root: Node
  property(parent: Node, schema: SchemaProps, name: string): Node
  values(parent: Node, schema: SchemaProps | undefined): Node
  items(parent: Node, schema: SchemaProps | undefined): Node
  readonly check: RuleCheck<Node>
}

/** Checks all nodes of a schema. `rules`: checks of rules; undefined skips them. */
export function walkSchema<Node>(
  schema: SchemaProps,
  path: string,
  walkRules: WalkRules,
  failures: Failures,
  rules: RuleNodes<Node> | undefined,
): void {
  const walk = new Walk(walkRules, failures, rules)
  walk.node(schema, path, { noDefaults: undefined, insideMeta: false, uncorrelatable: undefined }, true, rules?.root)
}

class Walk<Node> {
  constructor(
    private readonly walkRules: WalkRules,
    private readonly failures: Failures,
    private readonly rules: RuleNodes<Node> | undefined,
  ) {}

  /** `node` is undefined where rules are not checked. */
  node(schema: SchemaProps, path: string, inherited: Inherited, isRoot: boolean, node: Node | undefined): void {
    if (this.failures.full) return
    const { prefix } = this.walkRules
    const failuresBefore = this.failures.list.length
    this.keywords(schema, path, inherited)
    if (schema.uniqueItems) {
      this.forbidden(`${path}.uniqueItems`, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
    }
    this.values(schema, path, inherited, node)
    this.properties(schema, path, inherited, isRoot, node)
    this.junctors(schema, path, inherited)
    this.items(schema, path, inherited, node)
    for (const [name, one] of schema.dependencies ?? []) {
      if (one !== undefined) this.node(one, `${path}.dependencies[${name}]`, inherited, false, undefined)
    }
    if (schema.preserveUnknownFields === false) {
      const field = `${path}.${prefix}preserve-unknown-fields`
      this.failures.add({ type: "Invalid", field, value: false, detail: "must be true or undefined" })
    }
    checkListTypes(schema, path, prefix, this.walkRules, this.failures)
    if ((schema.validations?.length ?? 0) === 0) return
    checkRuleTexts(schema, `${path}.${prefix}validations`, this.failures)
    // Skips rules of a schema with failures, which may be consequences of them.
    if (node === undefined || this.failures.list.length > failuresBefore || this.failures.full) return
    this.rules?.check(schema, `${path}.${prefix}validations`, node, inherited.uncorrelatable)
  }

  private values(schema: SchemaProps, path: string, inherited: Inherited, node: Node | undefined): void {
    const { additionalProperties, properties } = schema
    if (additionalProperties === undefined) return
    const allowsAny = additionalProperties.allows && additionalProperties.schema === undefined
    if ((properties?.size ?? 0) > 0 && !allowsAny) {
      this.forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")
    }
    if (additionalProperties.schema === undefined) return
    // Pruning a default is ambiguous where field names are unknown.
    const below = inherited.insideMeta ? { ...inherited, noDefaults: "inside additionalProperties applying to object metadata" } : inherited
    const child = node && this.rules?.values(node, additionalProperties.schema)
    this.node(additionalProperties.schema, `${path}.additionalProperties`, below, false, child)
  }

  private properties(schema: SchemaProps, path: string, inherited: Inherited, isRoot: boolean, node: Node | undefined): void {
    const { mapType = "granular" } = schema
    const plain = mapType === "granular" || mapType === "atomic" ? inherited : uncorrelatable(inherited, path)
    for (const [name, property] of schema.properties ?? []) {
      const isMeta = (isRoot || schema.embeddedResource) && resourceFields.has(name)
      const below = isMeta ? { ...plain, insideMeta: true, ...(isRoot && { noDefaults: `in top-level ${name}` }) } : plain
      const child = node && this.rules?.property(node, property, name)
      this.node(property, `${path}.properties[${name}]`, below, false, child)
    }
  }

  private junctors(schema: SchemaProps, path: string, inherited: Inherited): void {
    const { not, allOf = [], oneOf = [], anyOf = [], definitions = new Map<string, SchemaProps>() } = schema
    if (not !== undefined) this.node(not, `${path}.not`, inherited, false, undefined)
    for (const [index, one] of allOf.entries()) this.node(one, `${path}.allOf[${index}]`, inherited, false, undefined)
    for (const [index, one] of oneOf.entries()) this.node(one, `${path}.oneOf[${index}]`, inherited, false, undefined)
    for (const [index, one] of anyOf.entries()) this.node(one, `${path}.anyOf[${index}]`, inherited, false, undefined)
    for (const [name, one] of definitions) this.node(one, `${path}.definitions[${name}]`, inherited, false, undefined)
  }

  private items(schema: SchemaProps, path: string, inherited: Inherited, node: Node | undefined): void {
    const { items, listType } = schema
    if (items === undefined) return
    const below = listType === "map" ? inherited : uncorrelatable(inherited, path)
    if (items.schema !== undefined) {
      this.node(items.schema, `${path}.items`, below, false, node && this.rules?.items(node, items.schema))
    }
    for (const [index, one] of items.list.entries()) this.node(one, `${path}.items[${index}]`, below, false, undefined)
  }

  private keywords(schema: SchemaProps, path: string, inherited: Inherited): void {
    const { type } = schema
    const unsupported = (name: string): void => this.forbidden(`${path}.${name}`, `${name} is not supported`)
    if (this.walkRules.knownTypes && type !== "" && !types.includes(type)) {
      this.failures.add({ type: "NotSupported", field: `${path}.type`, value: type, detail: "", supported: types })
    }
    if (schema.default !== undefined && inherited.noDefaults !== undefined) {
      this.forbidden(`${path}.default`, `must not be set ${inherited.noDefaults}`)
    }
    if (schema.id !== "") unsupported("id")
    if (schema.additionalItems !== undefined) unsupported("additionalItems")
    if ((schema.patternProperties?.size ?? 0) > 0) unsupported("patternProperties")
    if ((schema.definitions?.size ?? 0) > 0) unsupported("definitions")
    if (schema.dependencies !== undefined) unsupported("dependencies")
    if (schema.ref !== undefined) unsupported("$ref")
    if (type === "null") this.forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative")
    if ((schema.items?.list.length ?? 0) > 0) this.forbidden(`${path}.items`, "items must be a schema object and not an array")
    if (inherited.insideMeta && schema.embeddedResource) {
      this.forbidden(`${path}.${this.walkRules.prefix}embedded-resource`, "must not be used inside of resource meta")
    }
  }

  private forbidden(field: string, detail: string): void {
    this.failures.add({ type: "Forbidden", field, detail })
  }
}

function uncorrelatable(inherited: Inherited, path: string): Inherited {
  return inherited.uncorrelatable === undefined ? { ...inherited, uncorrelatable: path } : inherited
}
