/**
 * Validation of definitions of custom resources, on create and on update: the checks of the reference with its
 * failures, field paths and texts. Paths refer to its internal form: parts that all versions share, such as the only
 * schema, are reported as fields of `spec` (`spec.validation.openAPIV3Schema`, `spec.subresources`).
 */
import { shortJson } from "../../base/bounded-text.ts"
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { shownValueCharactersMax } from "../../base/limits.ts"
import { patternOf } from "../../base/pattern.ts"
import { patternSize } from "../../base/pattern-size.ts"
import { atOnce, type Stages, Turns } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import { definitionSchemaDepthMax } from "../limits.ts"
import type { Ages } from "../rules/compile.ts"
import { checkApproval } from "./approval.ts"
import { dns1035LabelFaults } from "../../schema/names.ts"
import { checkConversion } from "./conversion.ts"
import { hasUnprunedDefaults } from "./defaults.ts"
import type { MetadataRules } from "./value-checks.ts"
import { type DefinitionSpec, readNames, readSpec, schemasOf } from "./definition-spec.ts"
import { excessOf } from "./excess.ts"
import { checkGroup, checkNames, checkOneOf, checkSpecNames } from "./names.ts"
import { allRequirements, type Requirements, requirementsOfUpdate } from "./ratchet.ts"
import { checkingSchema, type SchemaContext } from "./schema.ts"
import { type SchemaProps, schemaHas, texts } from "./schema-props.ts"
import { checkSelectableFields } from "./selectable-fields.ts"
import { checkColumns, checkDeprecation, checkSubresources } from "./version-parts.ts"

export interface CheckOptions {
  /** The stored definition on update; its existing faults may stay. Absent on create. */
  readonly old?: object | undefined
  readonly vendor: Vendor
  /** Rules for metadata inside of defaults. */
  readonly metadata?: MetadataRules
}

/** As `checkingDefinition`, without turns. */
export function checkDefinition(definition: object, failures: Failures, options: CheckOptions): void {
  atOnce(checkingDefinition(definition, failures, options))
}

/**
 * Adds all faults of a definition to `failures`. `definition` is any JSON object in wire form, decoded, with its
 * defaults (`names.singular`, `names.listKind`, `conversion.strategy`) and with `status.storedVersions` of the write.
 * Called after the checks of `metadata` and before the write. The work is proportional to the definition, and has
 * stages where it exceeds a turn: patterns, defaults and rules take most of it.
 */
export function* checkingDefinition(definition: object, failures: Failures, options: CheckOptions): Stages<void> {
  if (!isObject(definition)) return
  const { vendor, metadata = {} } = options
  const old = isObject(options.old) ? options.old : undefined
  const prefix = vendor.extensionPrefix
  const spec = readSpec(definition, prefix)
  const turns = new Turns()
  if (turns.endsStage(spec.nodes)) yield
  const oldSpec = old && readSpec(old, prefix)
  if (spec.tooDeep) {
    const detail = `schemas must not be nested more than ${definitionSchemaDepthMax} levels deep`
    return failures.add({ type: "Forbidden", field: "spec.versions", detail })
  }
  const excess = excessOf(spec)
  // A stored definition may stay as it is.
  if (excess !== undefined && (oldSpec === undefined || excessOf(oldSpec) === undefined)) {
    return failures.add({ type: "Forbidden", field: "spec.versions", detail: excess })
  }
  if (turns.endsStage(spec.nodes)) yield
  yield* compilingPatterns(spec, turns)
  if (old === undefined) checkObjectName(definition, spec, failures)
  const oldDefinition = oldSpec && { spec: oldSpec, established: isEstablished(old), hasUnprunedDefaults: unprunedIn(prefix) }
  const requirements = oldDefinition === undefined ? allRequirements : requirementsOfUpdate(spec, oldDefinition, prefix)
  yield* new DefinitionCheck(spec, requirements, { vendor, metadata, oldSpec, turns }, failures).run()
  if (oldSpec !== undefined) checkImmutable(spec, oldSpec, requirements.immutableNames, failures)
  const status = isObject(definition.status) ? definition.status : {}
  checkNames(readNames(status.acceptedNames), "status.acceptedNames", failures)
  checkStoredVersions(status.storedVersions, spec, failures)
  checkApproval(definition, spec.group, { old, vendor }, failures)
  if (oldSpec?.preserveUnknownFields !== true && spec.preserveUnknownFields === true) {
    const detail = `cannot set to true, set ${prefix}preserve-unknown-fields to true in spec.versions[*].schema instead`
    failures.add({ type: "Invalid", field: "spec.preserveUnknownFields", value: true, detail })
  }
}

/** Adds the faults of a write to the status. Called for the `status` sub-resource. */
export function checkDefinitionStatus(definition: object, failures: Failures): void {
  const status = isObject(definition) && isObject(definition.status) ? definition.status : {}
  checkNames(readNames(status.acceptedNames), "status.acceptedNames", failures)
}

/** Work of compiling one instruction of a pattern, in the unit of turns. */
const patternInstructionWork = 10

/** Compiles all patterns, which are cached for the checks. */
function* compilingPatterns(spec: DefinitionSpec, turns: Turns): Stages<void> {
  for (const pattern of spec.patterns) {
    patternOf(pattern)
    if (turns.endsStage(patternSize(pattern) * patternInstructionWork)) yield
  }
}

function unprunedIn(prefix: string): (schema: SchemaProps) => boolean {
  return (schema) => hasUnprunedDefaults(schema.source, prefix)
}

function checkObjectName(definition: JsonObject, { names, group }: DefinitionSpec, failures: Failures): void {
  const metadata = isObject(definition.metadata) ? definition.metadata : {}
  // Checks `generateName` like a name: a definition cannot have a generated one.
  for (const word of ["generateName", "name"]) {
    const name = metadata[word]
    if (typeof name !== "string" || name === "" || name === `${names.plural}.${group}`) continue
    failures.add({ type: "Invalid", field: `metadata.${word}`, value: name, detail: 'must be spec.names.plural+"."+spec.group' })
  }
}

function isEstablished(definition: JsonObject): boolean {
  const conditions = isObject(definition.status) ? definition.status.conditions : undefined
  const found = Array.isArray(conditions) ? conditions.find((one) => isObject(one) && one.type === "Established") : undefined
  return isObject(found) && found.status === "True"
}

function checkImmutable(spec: DefinitionSpec, old: DefinitionSpec, established: boolean, failures: Failures): void {
  const check = (field: string, value: string, oldValue: string): void => {
    if (value !== oldValue) failures.add({ type: "Invalid", field, value, detail: "field is immutable" })
  }
  if (established) {
    check("spec.scope", spec.scope, old.scope)
    check("spec.names.kind", spec.names.kind, old.names.kind)
  }
  check("spec.group", spec.group, old.group)
  check("spec.names.plural", spec.names.plural, old.names.plural)
}

function checkStoredVersions(value: JsonValue | undefined, { versions }: DefinitionSpec, failures: Failures): void {
  const field = "status.storedVersions"
  const stored = texts(value) ?? []
  if (stored.length === 0) {
    return failures.add({ type: "Invalid", field, shown: "[]string(nil)", detail: "must have at least one stored version" })
  }
  const unmatched = new Map(stored.map((version, index) => [version, index]))
  for (const { name, storage } of versions) {
    if (storage && !unmatched.has(name)) {
      failures.add({ type: "Invalid", field, value: stored, detail: `must have the storage version ${name}` })
    }
    unmatched.delete(name)
  }
  for (const [version, index] of unmatched) {
    failures.add({ type: "Invalid", field: `${field}[${index}]`, value: version, detail: "must appear in spec.versions" })
  }
}

interface CheckedWith {
  readonly vendor: Vendor
  readonly metadata: MetadataRules
  readonly oldSpec: DefinitionSpec | undefined
  readonly turns: Turns
}

/** Expressions of the old definition may stay, even if a new one may not use their features. */
function agesOf(old: DefinitionSpec | undefined): Ages {
  const rules = new Set<string>()
  const withMessage = new Set<string>()
  for (const schema of old === undefined ? [] : schemasOf(old)) {
    schemaHas(schema, ({ validations = [] }) => {
      for (const { rule, messageExpression } of validations) {
        rules.add(rule)
        if (messageExpression !== "") withMessage.add(messageExpression)
      }
      return false
    })
  }
  return {
    ofRule: (rule) => (rules.has(rule) ? "stored" : "new"),
    ofMessage: (expression) => (withMessage.has(expression) ? "stored" : "new"),
  }
}

/** The checks of `spec`. */
class DefinitionCheck {
  private readonly context: SchemaContext

  constructor(
    private readonly spec: DefinitionSpec,
    private readonly requirements: Requirements,
    { vendor, metadata, oldSpec, turns }: CheckedWith,
    private readonly failures: Failures,
  ) {
    const { preserveUnknownFields } = spec
    const structural =
      requirements.structuralSchemas ||
      preserveUnknownFields !== true ||
      schemasOf(spec).some((schema) => schemaHas(schema, needsStructure))
    this.context = {
      ...requirements,
      structuralSchemas: structural,
      prefix: vendor.extensionPrefix,
      metadata,
      ages: agesOf(oldSpec),
      turns,
      nodes: spec.nodes,
    }
  }

  *run(): Stages<void> {
    const { spec, failures, requirements } = this
    checkGroup(spec.group, failures)
    checkOneOf("spec.scope", spec.scope, ["Cluster", "Namespaced"], failures)
    this.checkSchemasExist()
    if (spec.preserveUnknownFields === true && schemasOf(spec).some((one) => schemaHas(one, (node) => node.default !== undefined))) {
      const detail = "must be false in order to use defaults in the schema"
      failures.add({ type: "Invalid", field: "spec.preserveUnknownFields", value: true, detail })
    }
    yield* this.checkVersions()
    checkSpecNames(spec, failures)
    yield* this.checkShared()
    checkConversion(spec, requirements.knownReviewVersion, failures)
  }

  private checkSchemasExist(): void {
    const { spec, failures, requirements } = this
    if (spec.shared.schema !== undefined) return
    if (!requirements.schemas && spec.preserveUnknownFields === true) return
    for (const [index, { schema, served }] of spec.versions.entries()) {
      if (failures.full) return
      if (schema !== undefined || !(requirements.schemas || served)) continue
      const detail = requirements.schemas ? "schemas are required" : "because otherwise all fields are pruned"
      failures.add({ type: "Required", field: `spec.versions[${index}].schema.openAPIV3Schema`, detail })
    }
  }

  private *checkVersions(): Stages<void> {
    const { spec, failures } = this
    const { versions, versionsSource } = spec
    const ownSubresources = versions.some(({ subresources }) => subresources !== undefined)
    const seen = new Map<string, JsonObject | undefined>()
    for (const [index, version] of versions.entries()) {
      if (failures.full) return
      const path = `spec.versions[${index}]`
      if (!seen.has(version.name)) seen.set(version.name, version.subresources)
      const subresources = ownSubresources ? seen.get(version.name) : spec.shared.subresources
      checkVersionName(`${path}.name`, version.name, failures)
      checkDeprecation(version, path, failures)
      const context = { ...this.context, unchanged: this.requirements.unchangedSchemas.has(version.name) }
      if (version.schema !== undefined) yield* checkingSchema(version.schema, `${path}.schema`, hasStatus(subresources), context, failures)
      checkSubresources(version.subresources, `${path}.subresources`, failures)
      checkColumns(version.columns, `${path}.additionalPrinterColumns`, failures)
      checkSelectableFields(version, path, "version", this.context.prefix, failures)
    }
    const none = `[]apiextensions.CustomResourceDefinitionVersion${Array.isArray(versionsSource) ? "{}" : "(nil)"}`
    const shown = versions.length === 0 ? none : shortJson(versionsSource, shownValueCharactersMax)
    const invalid = (detail: string): void => failures.add({ type: "Invalid", field: "spec.versions", shown, detail })
    if (seen.size < versions.length) invalid("must contain unique version names")
    if (versions.filter(({ storage }) => storage).length !== 1) invalid("must have exactly one version marked as storage version")
    if (spec.version !== "") checkVersionName("spec.version", spec.version, failures)
  }

  /** Checks the parts that all versions share. */
  private *checkShared(): Stages<void> {
    const { failures, spec } = this
    const { shared, versions } = spec
    const anyStatus = hasStatus(shared.subresources) || versions.some(({ subresources }) => hasStatus(subresources))
    const context = { ...this.context, unchanged: this.requirements.unchangedSchemas.has(spec.version) }
    if (shared.schema !== undefined) yield* checkingSchema(shared.schema, "spec.validation", anyStatus, context, failures)
    checkSubresources(shared.subresources, "spec.subresources", failures)
    checkColumns(shared.columns, "spec.additionalPrinterColumns", failures)
    checkSelectableFields(shared, "spec", "definition", this.context.prefix, failures)
  }
}

function checkVersionName(field: string, value: string, failures: Failures): void {
  const faults = dns1035LabelFaults(value)
  if (faults.length > 0) failures.add({ type: "Invalid", field, value, detail: faults.join(",") })
}

function hasStatus(subresources: JsonObject | undefined): boolean {
  return isObject(subresources?.status)
}

/** Whether a schema has keywords that only structural schemas may have. */
function needsStructure(schema: SchemaProps): boolean {
  const { default: byDefault, embeddedResource, preserveUnknownFields, intOrString, listMapKeys, listType, validations } = schema
  return (
    byDefault !== undefined ||
    embeddedResource ||
    preserveUnknownFields !== undefined ||
    intOrString ||
    (listMapKeys?.length ?? 0) > 0 ||
    listType !== undefined ||
    (validations?.length ?? 0) > 0
  )
}
