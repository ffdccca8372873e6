/** One schema of a definition: its root, its structure, its defaults, each node, and its rules. */
import { Failures } from "../../base/failure.ts"
import type { JsonObject } from "../../base/json.ts"
import type { Stages, Turns } from "../../base/turns.ts"
import type { Ages } from "../rules/compile.ts"
import { type Structural, structuralOf } from "../structural.ts"
import { checkingDefaults } from "./defaults.ts"
import { RuleChecks } from "./rules.ts"
import type { MetadataRules } from "./value-checks.ts"
import { type SchemaProps, schemaHas } from "./schema-props.ts"
import { walkSchema, type WalkRules } from "./schema-walk.ts"
import { structuralFailures, unreadable } from "./structure.ts"

export interface SchemaContext extends WalkRules {
  readonly structuralSchemas: boolean
  readonly prunedDefaults: boolean
  readonly metadata: MetadataRules
  readonly ages: Ages
  /** Shared with the check of the whole definition. */
  readonly turns: Turns
  /** See `DefinitionSpec`. */
  readonly nodes: number
}

/** The context of one schema. */
export interface OneSchemaContext extends SchemaContext {
  /** An update leaves the schema unchanged: the cost of single rules is not limited. */
  readonly unchanged: boolean
}

/** `path`: path of the parent of `openAPIV3Schema`. `statusEnabled`: the root must not restrict the status. */
export function* checkingSchema(
  schema: SchemaProps,
  path: string,
  statusEnabled: boolean,
  context: OneSchemaContext,
  failures: Failures,
): Stages<void> {
  const schemaPath = `${path}.openAPIV3Schema`
  const found = new Failures()
  if (statusEnabled) checkRoot(schema, schemaPath, found)
  if (schema.nullable) found.add({ type: "Forbidden", field: `${schemaPath}.nullable`, detail: "nullable cannot be true at the root" })
  const { nodes, turns } = context
  const fault = context.structuralSchemas ? unreadable(schema, context.prefix) : undefined
  if (turns.endsStage(nodes)) yield
  const read = new ReadOnce(schema.source, context.prefix)
  const rulesMakeSense =
    context.structuralSchemas && fault === undefined && (yield* checkingStructure(schema, read, schemaPath, context, found))
  const foundByRules = new Failures()
  const rules = rulesMakeSense ? new RuleChecks(schema, read, context, foundByRules) : undefined
  if (turns.endsStage(nodes)) yield
  walkSchema(schema, schemaPath, context, found, rules)
  if (turns.endsStage(nodes)) yield
  if (rules !== undefined) yield* rules.checking(schemaPath)
  for (const failure of foundByRules.list) found.add(failure)
  if (found.empty && fault !== undefined) found.add({ type: "Invalid", field: schemaPath, value: "", detail: fault })
  for (const failure of found.list) failures.add(failure)
}

/** Returns whether the schema is structural and its defaults are valid. */
function* checkingStructure(
  schema: SchemaProps,
  read: ReadOnce,
  path: string,
  context: SchemaContext,
  failures: Failures,
): Stages<boolean> {
  const structural = structuralFailures(schema, path, context.prefix)
  for (const failure of structural) failures.add(failure)
  if (structural.length > 0) return false
  if (context.turns.endsStage(context.nodes)) yield
  if (!schemaHas(schema, ({ default: value }) => value !== undefined)) return true
  return yield* checkingDefaults(read, path, context, failures)
}

/** Caches the structural schema for the checks of defaults and rules: most definitions have both. */
export class ReadOnce {
  private made: Structural | undefined

  constructor(
    private readonly source: JsonObject,
    private readonly prefix: string,
  ) {}

  get structural(): Structural {
    this.made ??= structuralOf(this.source, this.prefix)
    return this.made
  }
}

/** Keywords of the root in the reference's order, with the reference's names for them. */
const rootKeywords = [
  ["id"],
  ["schema"],
  ["ref"],
  ["description", "Description"],
  ["type", "Type"],
  ["nullable"],
  ["format", "Format"],
  ["title", "Title"],
  ["default"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["enum"],
  ["maxProperties"],
  ["minProperties"],
  ["required", "Required"],
  ["items", "Items"],
  ["allOf"],
  ["oneOf"],
  ["anyOf"],
  ["not"],
  ["properties", "Properties"],
  ["additionalProperties"],
  ["patternProperties"],
  ["dependencies"],
  ["additionalItems"],
  ["definitions"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["preserveUnknownFields", "XPreserveUnknownFields"],
  ["embeddedResource"],
  ["intOrString"],
  ["listMapKeys"],
  ["listType"],
  ["mapType"],
  ["validations", "XValidations"],
] as const satisfies readonly (readonly [keyof SchemaProps, string?])[]

const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems " +
  "UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations"

/**
 * With a status sub-resource, the status is validated by its schema in `properties` alone, so nothing else at the root
 * may restrict it.
 */
function checkRoot(schema: SchemaProps, path: string, failures: Failures): void {
  for (const [keyword, allowedAs] of rootKeywords) {
    const value = schema[keyword]
    if (value === undefined || value === "" || value === false) continue
    if (keyword === "type" && schema.type !== "object") {
      const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return failures.add({ type: "Invalid", field: `${path}.type`, value: schema.type, detail })
    }
    if (allowedAs !== undefined) continue
    const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`
    return failures.add({ type: "Invalid", field: path, value: schema.source, detail })
  }
}
