/**
 * Checks the expressions of rules in a definition: compiles each with the types of its schema, and limits its estimated
 * cost, alone and together with all others of the schema.
 */
import { declaredType } from "../../../cel/schema/declared-type.ts"
import { type Schema, withResourceFields } from "../../../cel/schema/schema.ts"
import type { Failure, Failures } from "../../base/failure.ts"
import { messageCharactersMax } from "../../base/limits.ts"
import type { Stages, Turns } from "../../base/turns.ts"
import { cut, quoted } from "../../base/quote.ts"
import { ruleCostMax, schemaCostMax } from "../limits.ts"
import { type Ages, cardinalityOf, compileRule, compileWork, type RuleCompilation, selfTypeName } from "../rules/compile.ts"
import type { Structural } from "../structural.ts"
import { CostTotal, costText, multiplyCosts } from "./rule-costs.ts"
import type { RuleProps, SchemaProps } from "./schema-props.ts"
import type { RuleNodes } from "./schema-walk.ts"

export interface RuleContext {
  /** The vendor's `extensionPrefix`. */
  readonly prefix: string
  readonly ages: Ages
  /** An update leaves the schema unchanged: the cost of single rules is not limited. */
  readonly unchanged: boolean
  readonly turns: Turns
}

/** A schema, and its type in expressions: some fields of resources do not depend on the schema. */
interface TypedSchema {
  readonly schema: Structural
  readonly visible: Schema
  readonly isResource: boolean
}

interface Nested<Schema> {
  readonly properties: ReadonlyMap<string, Schema>
  readonly additionalProperties?: Schema | true
  readonly items?: Schema
}

/** A step from a value to a part of it. */
type Step = "items" | "values" | { readonly property: string }

function stepInto<Schema extends Nested<Schema>>({ properties, additionalProperties, items }: Schema, step: Step): Schema | undefined {
  if (step === "items") return items
  if (step === "values") return additionalProperties === true ? undefined : additionalProperties
  return properties.get(step.property)
}

/** Schema information for rules, node by node. */
export class RuleNode {
  private known: TypedSchema | undefined

  constructor(
    private readonly schema: SchemaProps | undefined,
    /** The structural schema of the root. */
    private readonly read: { readonly structural: Structural },
    /** Whether the schema or one above it has rules. */
    private readonly isInScope: boolean,
    private readonly parent: { readonly node: RuleNode; readonly step: Step } | undefined,
    /** The largest number of the schema's values in an object. Undefined: unlimited. */
    readonly cardinality: bigint | undefined,
  ) {}

  below(schema: SchemaProps | undefined, step: Step): RuleNode {
    const factor = this.schema && elementsMax(this.schema)
    const cardinality = this.cardinality === undefined || factor === undefined ? undefined : multiplyCosts(this.cardinality, factor)
    const isInScope = this.isInScope || (schema?.validations?.length ?? 0) > 0
    return new RuleNode(schema, this.read, isInScope, { node: this, step }, cardinality)
  }

  /** Resource fields have the types that the schema above in scope gives them. */
  typed(): TypedSchema | undefined {
    if (!this.isInScope || this.schema === undefined) return undefined
    this.known ??= this.fromAbove() ?? this.alone()
    return this.known
  }

  private alone(): TypedSchema | undefined {
    const schema = this.structural()
    return schema && { schema, visible: schema, isResource: this.parent === undefined || schema.embedded }
  }

  private structural(): Structural | undefined {
    if (this.parent === undefined) return this.read.structural
    const { node, step } = this.parent
    const above = node.structural()
    return above && stepInto(above, step)
  }

  private fromAbove(): TypedSchema | undefined {
    if (this.parent === undefined) return undefined
    const { node, step } = this.parent
    const above = node.typed()
    const schema = above && stepInto(above.schema, step)
    if (above === undefined || schema === undefined) return undefined
    const container = above.isResource ? withResourceFields(above.visible) : above.visible
    return { schema, visible: stepInto(container, step) ?? schema, isResource: schema.embedded }
  }
}

/** The largest number of elements per value of the schema; undefined: unlimited. */
function elementsMax({ type, additionalProperties, maxProperties, maxItems }: SchemaProps): bigint | undefined {
  const limit = (value: number | undefined): bigint | undefined => (value === undefined ? undefined : BigInt(Math.max(0, value)))
  if (type === "object" && additionalProperties !== undefined) return limit(maxProperties)
  return type === "array" ? limit(maxItems) : 1n
}

/** The rules of one node of a schema. */
interface FoundRules {
  readonly schema: SchemaProps
  readonly path: string
  readonly node: RuleNode
  readonly uncorrelatable: string | undefined
}

/** Checks the rules of one schema of a definition. */
export class RuleChecks implements RuleNodes<RuleNode> {
  readonly root: RuleNode
  private readonly total = new CostTotal()
  private readonly found: FoundRules[] = []

  /** `failures`: collects failures of rules, which are reported after all others. */
  constructor(
    schema: SchemaProps,
    read: { readonly structural: Structural },
    private readonly context: RuleContext,
    private readonly failures: Failures,
  ) {
    this.root = new RuleNode(schema, read, (schema.validations?.length ?? 0) > 0, undefined, 1n)
  }

  property(parent: RuleNode, schema: SchemaProps, name: string): RuleNode {
    return parent.below(schema, { property: name })
  }

  values(parent: RuleNode, schema: SchemaProps | undefined): RuleNode {
    return parent.below(schema, "values")
  }

  items(parent: RuleNode, schema: SchemaProps | undefined): RuleNode {
    return parent.below(schema, "items")
  }

  /** Collects the rules of a schema; `checking` checks them. */
  check(schema: SchemaProps, path: string, node: RuleNode, uncorrelatable: string | undefined): void {
    this.found.push({ schema, path, node, uncorrelatable })
  }

  /** Called when all schemas have been visited. `path`: path of the root, for the cost of all rules together. */
  *checking(path: string): Stages<void> {
    for (const found of this.found) yield* this.checkingRules(found)
    this.checkTotal(path)
  }

  private *checkingRules({ schema, path, node, uncorrelatable }: FoundRules): Stages<void> {
    const typed = node.typed()
    const type = typed && declaredType(typed.visible, selfTypeName, typed.isResource)
    if (typed === undefined || type === undefined) {
      const word = path.slice(path.lastIndexOf(".") + 1)
      const why = "unable to convert structural schema to CEL declarations"
      const detail = `internal error: failed to construct type information for ${word} rules: ${why}`
      return this.failures.add({ type: "InternalError", field: path, detail })
    }
    const cardinality = node.cardinality ?? cardinalityOf(type)
    for (const [index, rule] of typed.schema.rules.entries()) {
      if (this.failures.full) return
      const compiled = compileRule(rule, typed.schema, type.type, this.context.ages)
      this.checkRule(compiled, schema.validations?.[index], `${path}[${index}]`, { cardinality, uncorrelatable })
      if (this.context.turns.endsStage(compileWork(rule))) yield
    }
  }

  private checkTotal(path: string): void {
    if (this.total.cost <= schemaCostMax) return
    for (const field of this.total.mostExpensive) {
      const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
      this.failures.add({ type: "Forbidden", field, detail })
    }
    const name = `${this.context.prefix}validations estimated rule cost total for entire OpenAPIv3 schema`
    this.failures.add({ type: "Forbidden", field: path, detail: costText(name, this.total.cost, schemaCostMax) })
  }

  private checkRule(
    { compiled, maxCost, messageCost }: RuleCompilation,
    props: RuleProps | undefined,
    path: string,
    { cardinality, uncorrelatable }: { readonly cardinality: bigint; readonly uncorrelatable: string | undefined },
  ): void {
    this.checkCost("estimated rule cost", multiplyCosts(maxCost(), cardinality), `${path}.rule`)
    const invalid = (field: string, detail: string): void =>
      this.failures.add({ type: "Invalid", field: `${path}.${field}`, ...shownRule(props), detail })
    if (compiled.fault !== undefined) invalid("rule", compiled.fault)
    if (compiled.messageFault !== undefined) invalid("messageExpression", compiled.messageFault)
    else if (messageCost !== undefined) {
      this.checkCost("estimated messageExpression cost", messageCost(), `${path}.messageExpression`)
    }
    const { rule, optionalOldSelf } = compiled.rule
    if (compiled.usesOldSelf) {
      if (uncorrelatable === undefined) return
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
      this.failures.add({ type: "Invalid", field: `${path}.rule`, value: rule, detail })
    } else if (optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule"
      this.failures.add({ type: "Invalid", field: `${path}.optionalOldSelf`, value: optionalOldSelf, detail })
    }
  }

  private checkCost(name: string, cost: bigint, field: string): void {
    if (!this.context.unchanged && cost > ruleCostMax) {
      this.failures.add({ type: "Forbidden", field, detail: costText(name, cost, ruleCostMax) })
    }
    this.total.add(field, cost)
  }
}

/** A rule as the reference prints it: in Go syntax. */
function shownRule(props: RuleProps | undefined): Pick<Failure, "shown"> {
  const text = (value: string | undefined): string => quoted(cut(value ?? "", messageCharactersMax))
  const pointer = (type: string, value: string | boolean | undefined): string =>
    `(*${type})(${value === undefined ? "nil" : typeof value === "string" ? text(value) : value})`
  const fields = [
    `Rule:${text(props?.rule)}`,
    `Message:${text(props?.message)}`,
    `MessageExpression:${text(props?.messageExpression)}`,
    `Reason:${pointer("apiextensions.FieldValueErrorReason", props?.reason)}`,
    `FieldPath:${text(props?.fieldPath)}`,
    `OptionalOldSelf:${pointer("bool", props?.optionalOldSelf)}`,
  ]
  return { shown: `apiextensions.ValidationRule{${fields.join(", ")}}` }
}
