/**
 * Fields of definitions behind feature gates: they are dropped before validation, unless the old definition uses them.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"

export interface DefinitionGates {
  /** `selectableFields`. */
  readonly CustomResourceFieldSelectors: boolean
  /** `optionalOldSelf` of rules. */
  readonly CRDValidationRatcheting: boolean
}

export interface DropOptions {
  readonly old?: JsonObject | undefined
  readonly gates: DefinitionGates
  /** The vendor's `extensionPrefix`. */
  readonly prefix: string
}

/** Drops fields of disabled gates, in place. Called before the checks of a create or update. */
export function dropDisabledFields(definition: JsonObject, { old, gates, prefix }: DropOptions): void {
  if (!gates.CustomResourceFieldSelectors && !versionsOf(old).some(({ selectableFields }) => selectableFields !== undefined)) {
    for (const version of versionsOf(definition)) delete version.selectableFields
  }
  if (gates.CRDValidationRatcheting || rulesOf(old, prefix).some(({ optionalOldSelf }) => optionalOldSelf !== undefined)) return
  for (const rule of rulesOf(definition, prefix)) delete rule.optionalOldSelf
}

function versionsOf(definition: JsonObject | undefined): JsonObject[] {
  const spec = isObject(definition?.spec) ? definition.spec : {}
  return objectsIn(spec.versions)
}

function rulesOf(definition: JsonObject | undefined, prefix: string): JsonObject[] {
  const rules: JsonObject[] = []
  for (const { schema } of versionsOf(definition)) {
    if (isObject(schema)) collectRules(schema.openAPIV3Schema, `${prefix}validations`, rules)
  }
  return rules
}

/** Collects the rules of a node and of nodes below it outside of junctors, where no rules are allowed. */
function collectRules(schema: JsonValue | undefined, keyword: string, rules: JsonObject[]): void {
  if (!isObject(schema)) return
  rules.push(...objectsIn(schema[keyword]))
  collectRules(schema.additionalProperties, keyword, rules)
  collectRules(schema.items, keyword, rules)
  if (isObject(schema.properties)) for (const property of Object.values(schema.properties)) collectRules(property, keyword, rules)
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
