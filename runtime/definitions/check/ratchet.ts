/**
 * Requirements that an update of a definition need not fulfil, because the old definition does not: rules that were
 * tightened while objects were stored. A new definition must fulfil all of them.
 */
import { deepEqual } from "../../encoding/field-path.ts"
import { knowsReviewVersion } from "./hook-client.ts"
import { type DefinitionSpec, schemasOf, versionSchemas } from "./definition-spec.ts"
import { hasIndefiniteKeys, hasLooseSetItems } from "./list-types.ts"
import { type SchemaProps, schemaHas } from "./schema-props.ts"
import { structuralFailures, unreadable } from "./structure.ts"

export interface Requirements {
  readonly knownReviewVersion: boolean
  readonly immutableNames: boolean
  readonly schemas: boolean
  readonly knownTypes: boolean
  readonly structuralSchemas: boolean
  readonly prunedDefaults: boolean
  readonly atomicSetItems: boolean
  readonly definiteKeys: boolean
  /** Versions whose schema is unchanged: the cost of their single rules is not limited. */
  readonly unchangedSchemas: ReadonlySet<string>
}

/** Requirements of a new definition. */
export const allRequirements: Requirements = {
  knownReviewVersion: true,
  immutableNames: false,
  schemas: true,
  knownTypes: true,
  structuralSchemas: true,
  prunedDefaults: true,
  atomicSetItems: true,
  definiteKeys: true,
  unchangedSchemas: new Set(),
}

/** The old definition: its specification, and facts about it. */
export interface OldDefinition {
  readonly spec: DefinitionSpec
  readonly established: boolean
  /** Whether a default in a schema has fields that the schema does not specify. */
  readonly hasUnprunedDefaults: (schema: SchemaProps) => boolean
}

/** Requirements of an update. `prefix`: the vendor's `extensionPrefix`. */
export function requirementsOfUpdate(spec: DefinitionSpec, old: OldDefinition, prefix: string): Requirements {
  const schemas = schemasOf(old.spec)
  const noneHas = (found: (one: SchemaProps) => boolean): boolean => !schemas.some((schema) => schemaHas(schema, found))
  return {
    knownReviewVersion: knowsReviewVersion(old.spec.conversion?.reviewVersions ?? []),
    immutableNames: old.established,
    schemas: everyVersionHasSchema(old.spec),
    knownTypes: noneHas(({ type }) => type !== "" && !types.has(type)),
    structuralSchemas: !schemas.some((schema) => isNotStructural(schema, prefix)),
    prunedDefaults: !schemas.some((schema) => !isNotStructural(schema, prefix) && old.hasUnprunedDefaults(schema)),
    atomicSetItems: noneHas(hasLooseSetItems),
    definiteKeys: noneHas(hasIndefiniteKeys),
    unchangedSchemas: unchangedSchemas(spec, old.spec),
  }
}

const types: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "array", "object"])

export function everyVersionHasSchema(spec: DefinitionSpec): boolean {
  return spec.shared.schema !== undefined || spec.versions.every(({ schema }) => schema !== undefined)
}

function isNotStructural(schema: SchemaProps, prefix: string): boolean {
  return unreadable(schema, prefix) !== undefined || structuralFailures(schema, "", prefix).length > 0
}

function unchangedSchemas(spec: DefinitionSpec, oldSpec: DefinitionSpec): Set<string> {
  const oldSchemas = versionSchemas(oldSpec)
  const unchanged = [...versionSchemas(spec)].filter(
    ([version, schema]) => oldSchemas.has(version) && deepEqual(schema?.source, oldSchemas.get(version)?.source),
  )
  return new Set(unchanged.map(([version]) => version))
}
