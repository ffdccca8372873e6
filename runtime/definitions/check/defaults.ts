/**
 * Defaults of a schema: each must be valid by the schema of its field, and must have no fields that the schema does not
 * specify. Faults of `apiVersion`, `kind` and `metadata` are found by checking the whole resource around them.
 */
import { type Failure, Failures } from "../../base/failure.ts"
import { failureText } from "../../base/errors.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { Stages, Turns } from "../../base/turns.ts"
import { shownText } from "../../base/go-text.ts"
import { findingFailures } from "../objects/validate.ts"
import { ValueWalk } from "../objects/value-walk.ts"
import { ruleBudget } from "../limits.ts"
import { validatingDefaultByRules } from "../rules/validate.ts"
import { type Structural, structuralOf } from "../structural.ts"
import { hasUnknownFields, metadataFailures, type MetadataRules } from "./value-checks.ts"

export interface DefaultRules {
  /** Defaults must have no unknown fields. */
  readonly prunedDefaults: boolean
  readonly metadata: MetadataRules
  readonly turns: Turns
  /** See `DefinitionSpec`. */
  readonly nodes: number
}

/** Makes the resource around a default inside `apiVersion`, `kind` or `metadata` from the default's value. */
type Surround = (value: JsonValue) => JsonValue

/** Adds the faults of a structural schema's defaults, and returns whether there are none. */
export function* checkingDefaults(
  read: { readonly structural: Structural },
  path: string,
  rules: DefaultRules,
  failures: Failures,
): Stages<boolean> {
  const before = failures.list.length
  const schema = read.structural
  if (rules.turns.endsStage(rules.nodes)) yield
  const check = new DefaultCheck(rules, failures)
  check.node({ ...schema, embedded: true }, path, undefined, resourceOf, true)
  if (rules.turns.endsStage(rules.nodes)) yield
  yield* check.checking()
  return failures.list.length === before
}

/** A resource with the given value as its content, and with a type. */
function resourceOf(value: JsonValue): JsonValue {
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
  return { kind: "Validation", apiVersion: "validation/v1", ...fields }
}

/** Work of checking a small default, in the unit of turns. */
const defaultWork = 100

interface FoundDefault {
  readonly schema: Structural
  readonly path: string
  readonly value: JsonValue
  /** The resource whose type or metadata contains the default. */
  readonly meta: Structural | undefined
  readonly around: Surround
  readonly isResource: boolean
}

class DefaultCheck {
  /** Remaining cost budget of rules. */
  private budget = ruleBudget
  /** Work of checking values so far; all defaults of a schema share the limit of one object. */
  private work = 0
  private readonly found: FoundDefault[] = []

  constructor(
    private readonly rules: DefaultRules,
    private readonly failures: Failures,
  ) {}

  /**
   * Collects the defaults of a node and all nodes below it. `meta`: the resource whose type or metadata this node is
   * part of; undefined elsewhere.
   */
  node(schema: Structural, path: string, meta: Structural | undefined, surround: Surround, isRoot: boolean): void {
    const around = schema.embedded ? resourceOf : surround
    const within = schema.embedded ? undefined : meta
    if (schema.default !== undefined && schema.default !== null) {
      this.found.push({
        schema,
        path: `${path}.default`,
        value: schema.default,
        meta: within,
        around,
        isResource: isRoot || schema.embedded,
      })
    }
    if (schema.items !== undefined) {
      this.node(schema.items, `${path}.items`, within, (value) => around([value]), false)
    }
    for (const [name, property] of schema.properties) {
      const isMeta = schema.embedded && (name === "metadata" || name === "apiVersion" || name === "kind")
      this.node(property, `${path}.properties[${name}]`, isMeta ? schema : within, (value) => around({ [name]: value }), false)
    }
  }

  /** Checks the collected defaults, until there are too many failures or the budget is spent. */
  *checking(): Stages<void> {
    for (const { schema, path, value, meta, around, isResource } of this.found) {
      if (this.failures.full || this.budget < 0) return
      if (meta !== undefined) yield* this.insideMeta(value, schema, path, meta, around)
      else yield* this.plain(value, schema, path, isResource)
      if (this.rules.turns.endsStage(defaultWork)) yield
    }
  }

  private *insideMeta(value: JsonValue, schema: Structural, path: string, resource: Structural, around: Surround): Stages<void> {
    const found = metadataFailures(around(value), resource, true, this.rules.metadata)
    if (found.length === 0) return yield* this.validate(value, schema, path, false)
    const texts = [...new Set(found.map((failure) => `${failure.field}: ${failureText(failure)}`))]
    const said = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`
    this.failures.add({ type: "Invalid", field: path, value, detail: `must result in valid metadata: ${said}` })
  }

  private *plain(value: JsonValue, schema: Structural, path: string, isResource: boolean): Stages<void> {
    if (this.rules.prunedDefaults && hasUnknownFields(value, schema, isResource)) {
      this.failures.add({ type: "Invalid", field: path, ...shownOf(value), detail: "must not have unknown fields" })
    }
    const found = metadataFailures(value, schema, isResource, this.rules.metadata)
    if (found.length === 0) yield* this.validate(value, schema, path, isResource)
    else this.addBelow(path, found)
  }

  private *validate(value: JsonValue, schema: Structural, path: string, isResource: boolean): Stages<void> {
    const walk = new ValueWalk(this.work)
    const found = yield* findingFailures(value, withoutIntOrString(schema), walk)
    this.work = walk.totalWork
    if (found.length > 0) return this.addValues(path, found)
    const byRules = new Failures()
    this.budget = yield* validatingDefaultByRules(value, schema, byRules, { isResource, budget: this.budget })
    this.addBelow(path, byRules.list)
  }

  /** Adds faults of values; the reference separates indexes by a dot too. */
  private addValues(path: string, found: readonly Failure[]): void {
    this.addBelow(
      path,
      found.map((failure) => (failure.field.startsWith("[") ? { ...failure, field: `.${failure.field}` } : failure)),
    )
  }

  private addBelow(path: string, found: readonly Failure[]): void {
    for (const failure of found) this.failures.add({ ...failure, field: joined(path, failure.field) })
  }
}

function joined(path: string, below: string): string {
  if (below === "" || below === "<nil>") return path
  return below.startsWith("[") || below.startsWith(".") ? `${path}${below}` : `${path}.${below}`
}

function shownOf(value: JsonValue): Pick<Failure, "value" | "shown"> {
  const shown = shownText(value)
  return shown === undefined ? { value } : { value, shown }
}

const loose = new WeakMap<Structural, Structural>()

/**
 * The reference does not check that a default of an int-or-string is an integer or a string. A schema without
 * int-or-string is returned unchanged.
 */
function withoutIntOrString(schema: Structural): Structural {
  let result = loose.get(schema)
  if (result === undefined) {
    result = makeLoose(schema)
    loose.set(schema, result)
  }
  return result
}

function makeLoose(schema: Structural): Structural {
  const { items, properties, additionalProperties } = schema
  const looseItems = items && withoutIntOrString(items)
  const looseValues = typeof additionalProperties === "object" ? withoutIntOrString(additionalProperties) : additionalProperties
  let isSame = !schema.intOrString && looseItems === items && looseValues === additionalProperties
  for (const property of properties.values()) isSame = withoutIntOrString(property) === property && isSame
  if (isSame) return schema
  return {
    ...schema,
    intOrString: false,
    properties: new Map([...properties].map(([name, property]) => [name, withoutIntOrString(property)])),
    ...(looseItems !== undefined && { items: looseItems }),
    ...(looseValues !== undefined && { additionalProperties: looseValues }),
  }
}

/** Whether a default in a structural schema has fields that the schema does not specify. */
export function hasUnprunedDefaults(source: JsonObject, prefix: string): boolean {
  const isUnpruned = (schema: Structural, resource: boolean): boolean => {
    const { default: value, items, properties, additionalProperties } = schema
    if (value !== undefined && value !== null && hasUnknownFields(value, schema, resource)) return true
    if (items !== undefined && isUnpruned(items, items.embedded)) return true
    if (typeof additionalProperties === "object" && isUnpruned(additionalProperties, additionalProperties.embedded)) return true
    return [...properties.values()].some((property) => isUnpruned(property, property.embedded))
  }
  return isUnpruned(structuralOf(source, prefix), true)
}
