/**
 * Makes the kinds of an established definition at run time, in the form that the generator emits for schema files. One
 * record per version; expensive parts are made on first use.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  WebhookClientConfig,
} from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { objectMetaShape } from "../../generated/meta/v1/object-meta/shape.ts"
import { assert } from "../base/assert.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { atOnce, type Stages, takesTurns } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { deepClone, deepEqual } from "../encoding/field-path.ts"
import type { ConversionStarted } from "../schema/conversion-call.ts"
import type {
  Column,
  ConvertObjects,
  CustomFacts,
  Kind,
  KindParts,
  LifecycleRules,
  Subresource,
  ValidationContext,
  Verb,
} from "../schema/kind.ts"
import { cut } from "../base/quote.ts"
import type { StructuralShape, TypeShape } from "../schema/shape.ts"
import { typed } from "../schema/typed.ts"
import { webhookConversion } from "./conversion/webhook.ts"
import { definitionGroup } from "./definition-kind.ts"
import { columnsOfDefinition } from "./objects/columns.ts"
import { defaultObject } from "./objects/defaults.ts"
import { normalizeEmbedded } from "./objects/embedded.ts"
import type { MetadataCheck } from "./objects/embedded-check.ts"
import { withPrunedDefaults } from "./objects/pruned-defaults.ts"
import { pruneObject } from "./objects/prune.ts"
import { selectableFieldsOf } from "./objects/selectable.ts"
import { shapeOfDefinition } from "./objects/shape.ts"
import { UnknownNames } from "./objects/unknown-names.ts"
import { validatingObject, validatingStatus } from "./objects/validate.ts"
import { validatingRulesAfterValues } from "./rules/validate.ts"
import { type Structural, structuralOf } from "./structural.ts"

export interface DefinitionOptions {
  readonly vendor: Vendor
  /** Gate CRDValidationRatcheting. */
  readonly ratchet: boolean
  /** Gate CustomResourceFieldSelectors. */
  readonly selectable: boolean
  readonly checkMetadata: MetadataCheck
  /** Sends the JSON of a review to a web hook and resolves with its answer. */
  readonly callHook: (hook: WebhookClientConfig, review: string, signal?: AbortSignal) => Promise<JsonValue>
  readonly uuid: () => string
  /** Measures the calls of a definition's hook. */
  readonly measureConversions?: (definition: string) => ConversionStarted
}

/** Expensive parts of a version, made on first use, cached while the spec is the same. */
export type DefinitionParts = (version: string) => Promise<KindParts>

/** In the reference's order. */
const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]

/**
 * Makes the loader of the parts of all versions of a definition. Called once per served spec; `kindsOf` may be called
 * again with the same loader when only the status has changed.
 */
export function partsOf(definition: CustomResourceDefinition, options: DefinitionOptions): DefinitionParts {
  const { spec } = definition
  const made = new Map<string, KindParts>()
  const structurals = new Map<string, LazySchema>()
  const structuralIn = (version: CustomResourceDefinitionVersion): LazySchema => {
    const known = structurals.get(version.name) ?? new LazySchema(spec, version, options.vendor)
    structurals.set(version.name, known)
    return known
  }
  const toStored = (object: ApiObject): ApiObject => {
    const copy = deepClone<ApiObject>(object)
    const stored = spec.versions?.find(({ storage }) => storage)
    if (stored !== undefined) defaultObject(copy, structuralIn(stored).structural)
    return copy
  }
  const convert = conversionOf(definition, options)
  return async (name) => {
    const version = spec.versions?.find((one) => one.name === name)
    assert(version !== undefined, "a kind is one of the versions of its definition", { definition: definition.metadata.name, name })
    const known = made.get(name) ?? versionParts(definition, version, options, { schema: structuralIn(version), toStored, convert })
    made.set(name, known)
    return known
  }
}

/** The records of all versions of an established definition, including unserved versions, which may be stored. */
export function kindsOf(definition: CustomResourceDefinition, parts: DefinitionParts, options: DefinitionOptions): readonly Kind[] {
  const { spec, status } = definition
  const stored = (spec.versions ?? []).find(({ storage }) => storage)
  if (stored === undefined) return []
  const group = options.vendor.neutralGroup(spec.group)
  const names = status.acceptedNames
  const isTerminating = (status.conditions ?? []).some(({ type, status: value }) => type === "Terminating" && value === "True")
  const custom: CustomFacts = { definition: definition.metadata.name ?? "", isTerminating }
  return (spec.versions ?? []).map((version) => ({
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    resource: names.plural,
    singular: names.singular ?? "",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === "Namespaced",
    ...(!version.served && { served: false as const }),
    ...(version.deprecated === true && { deprecated: deprecationOf(version) }),
    verbs,
    nameRule: "dns-subdomain",
    storage: { path: `${spec.group}/${spec.names.plural}`, group, version: stored.name, kind: names.kind, format: "json" },
    selectable: options.selectable ? selectableFieldsOf(typed<JsonValue>(version.selectableFields ?? [])) : [],
    rules: rulesOf(version.subresources),
    subresources: subresourcesOf(version.subresources),
    behaviours: ["customObject"],
    custom: {
      ...custom,
      ...(version.schema?.openAPIV3Schema !== undefined && { schema: typed<JsonObject>(version.schema.openAPIV3Schema) }),
      ...(spec.preserveUnknownFields === true && { preservesUnknown: true }),
    },
    load: () => parts(version.name),
  }))
}

function deprecationOf({ deprecationWarning }: CustomResourceDefinitionVersion): NonNullable<Kind["deprecated"]> {
  return deprecationWarning === undefined ? {} : { warning: deprecationWarning }
}

/** The behaviour `customObject` counts generations: a change outside of metadata and status increases it. */
function rulesOf(subresources: CustomResourceSubresources | undefined): LifecycleRules {
  const ownStatus = subresources?.status === undefined ? [] : ["status"]
  return {
    createDrops: ownStatus,
    updateKeeps: ownStatus,
    createOnUpdate: false,
    unconditionalUpdate: false,
    generation: [],
    defaultPropagation: "background",
    deleteReturns: "Status",
  }
}

const statusKeeps = ["spec", "metadata"]

function subresourcesOf(subresources: CustomResourceSubresources | undefined): readonly Subresource[] {
  const found: Subresource[] = []
  const verbsOfBoth = ["get", "patch", "update"] as const
  if (subresources?.status !== undefined) found.push({ name: "status", type: "status", verbs: verbsOfBoth, keeps: statusKeeps })
  const scale = subresources?.scale
  if (scale !== undefined) {
    const selector = scale.labelSelectorPath ?? ""
    found.push({
      name: "scale",
      type: "scale",
      verbs: verbsOfBoth,
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      scale: {
        specReplicas: withoutDot(scale.specReplicasPath),
        statusReplicas: withoutDot(scale.statusReplicasPath),
        ...(selector !== "" && { selector: withoutDot(selector) }),
      },
    })
  }
  return found
}

function withoutDot(path: string): string {
  return path.startsWith(".") ? path.slice(1) : path
}

/** The schema of a version, read when an object first needs it: many kinds are listed but never written. */
class LazySchema {
  private made: Structural | undefined
  /**
   * A v1beta1 definition may preserve all unknown fields, whatever its schemas say; no structural schema is needed
   * then.
   */
  readonly preservesAll: boolean

  constructor(
    { preserveUnknownFields = false }: CustomResourceDefinition["spec"],
    private readonly version: CustomResourceDefinitionVersion,
    private readonly vendor: Vendor,
  ) {
    this.preservesAll = preserveUnknownFields
  }

  get structural(): Structural {
    this.made ??= this.make()
    return this.made
  }

  private make(): Structural {
    const source = typed<JsonObject>(this.version.schema?.openAPIV3Schema ?? {})
    const structural = structuralOf(source, this.vendor.extensionPrefix)
    // Prunes neither objects nor defaults: apply inherits this mark from the root.
    return this.preservesAll ? { ...structural, preserveUnknown: true } : withPrunedDefaults(structural, objectMetaShape)
  }
}

/** The shape of a version. Decoding is available at once, fields are made on first use. */
class LazyShape implements TypeShape {
  private made: TypeShape | undefined
  readonly structural: StructuralShape

  constructor(
    readonly name: string,
    private readonly schema: LazySchema,
  ) {
    this.structural = decodingOf(name, schema)
  }

  get fields(): TypeShape["fields"] {
    return this.whole.fields
  }

  get preserveUnknown(): boolean {
    return this.whole.preserveUnknown === true
  }

  private get whole(): TypeShape {
    this.made ??= shapeOfDefinition(this.name, this.schema.structural, objectMetaShape)
    return this.made
  }
}

const same = (object: ApiObject): ApiObject => object

function versionParts(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { vendor, ratchet, checkMetadata }: DefinitionOptions,
  {
    schema,
    toStored,
    convert,
  }: { readonly schema: LazySchema; readonly toStored: (object: ApiObject) => ApiObject; readonly convert: ConvertObjects | undefined },
): KindParts {
  const group = vendor.neutralGroup(definition.spec.group)
  const name = `${group}.${version.name}.${definition.status.acceptedNames.kind}`
  const scale = version.subresources?.scale
  const checks: ObjectChecks = { schema, ratchet, checkMetadata, ...(scale !== undefined && { scale }), warned: new WeakMap() }
  let columns: readonly Column[] | undefined
  return {
    shape: new LazyShape(name, schema),
    applyDefaults: (object, { stored = false, added }) => defaultObject(object, schema.structural, { stored, added }),
    validate: (object, context) => atOnce(validatingVersion(object, context, checks)),
    validating: (object, context) => validatingVersion(object, context, checks),
    warnings: (object, { old }) => [...finalizerWarnings(object, old), ...(checks.warned.get(object) ?? [])],
    get columns() {
      columns ??= columnsOfDefinition(typed<JsonValue>(version.additionalPrinterColumns ?? []))
      return columns
    },
    ...(convert === undefined ? renaming(version, toStored) : { convert }),
  }
}

/** Finalizers without a domain that any object may have. */
const commonFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"])

/** Warns of each new finalizer whose name other programs may use too; the reference does so only for custom objects. */
function finalizerWarnings({ metadata }: ApiObject, old: ApiObject | undefined): string[] {
  const before = old?.metadata?.finalizers ?? []
  const doubtful = (metadata?.finalizers ?? []).filter(
    (name) => !name.includes("/") && !commonFinalizers.has(name) && !before.includes(name),
  )
  return doubtful.map((name) => {
    const why = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
    return `metadata.finalizers: ${JSON.stringify(cut(name))}: ${why}`
  })
}

/** Inputs for validating the objects of a version. */
interface ObjectChecks extends Pick<DefinitionOptions, "ratchet" | "checkMetadata"> {
  readonly schema: LazySchema
  readonly scale?: NonNullable<CustomResourceSubresources["scale"]>
  /** Warnings for objects that were validated a moment ago. */
  readonly warned: WeakMap<ApiObject, string[]>
}

function* validatingVersion(
  object: ApiObject,
  { failures, old, subresource, bytes = 0 }: ValidationContext,
  { schema: { structural }, ratchet, checkMetadata, scale, warned }: ObjectChecks,
): Stages<void> {
  const options = { ...(old !== undefined && { old }), ...(scale !== undefined && { scale }) }
  const values =
    subresource === "status"
      ? validatingStatus(object, structural, failures, options)
      : validatingObject(object, structural, failures, { ratchet, checkMetadata, ...options })
  if (takesTurns(bytes)) yield* values
  else atOnce(values)
  const warnings: string[] = []
  yield* validatingRulesAfterValues(object, structural, failures, { ratchet, warnings, ...(old !== undefined && { old }) })
  if (warnings.length > 0) warned.set(object, warnings)
}

/**
 * Without a hook, conversion changes only `apiVersion`. The registry prunes the result by the schema of its version.
 * Stored objects get the defaults with which they are read.
 */
function renaming({ storage }: CustomResourceDefinitionVersion, toStored: (object: ApiObject) => ApiObject): Partial<KindParts> {
  return storage ? {} : { toStored, fromStored: same }
}

/**
 * Converts objects of a definition between versions: by its hook, or for strategy None by changing `apiVersion`.
 * Undefined where all versions have the same schema, so that conversion cannot lose fields.
 */
function conversionOf(
  { metadata: { name = "" }, spec }: CustomResourceDefinition,
  { vendor, callHook, uuid, measureConversions }: DefinitionOptions,
): ConvertObjects | undefined {
  const { clientConfig, conversionReviewVersions } = spec.conversion?.webhook ?? {}
  if (spec.conversion?.strategy !== "Webhook" || clientConfig === undefined) {
    const [first, ...others] = spec.versions ?? []
    const hasSameSchema = ({ schema }: CustomResourceDefinitionVersion): boolean =>
      deepEqual(typed<JsonValue>(schema ?? {}), typed<JsonValue>(first?.schema ?? {}))
    return others.every(hasSameSchema) ? undefined : renamed
  }
  return webhookConversion({
    reviewGroup: vendor.group(definitionGroup),
    reviewVersions: conversionReviewVersions ?? [],
    apiVersions: (spec.versions ?? []).map(({ name }) => `${spec.group}/${name}`),
    post: (review, signal) => callHook(clientConfig, review, signal),
    uuid,
    ...(measureConversions !== undefined && { started: measureConversions(name) }),
  })
}

const renamed: ConvertObjects = async (objects, apiVersion) =>
  objects.map((object) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }))

/** The decoding of a version's objects. */
function decodingOf(name: string, schema: LazySchema): StructuralShape {
  const root: TypeShape = {
    name,
    fields: [{ name: "metadata", type: { ref: () => objectMetaShape } }],
    preserveUnknown: true,
  }
  return {
    root,
    prune(object, { report, stored, keepNulls }) {
      const unknown = report ? new UnknownNames() : undefined
      const names = unknown === undefined ? {} : { unknown }
      const { structural } = schema
      if (!schema.preservesAll) pruneObject(object, structural, { keepNulls, ...names })
      normalizeEmbedded(object, structural, { metadata: objectMetaShape, malformed: stored ? "drop" : "refuse", ...names })
      return unknown?.list() ?? []
    },
  }
}

/** Whether a stored definition is established, so that clients can use its kind. */
export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return isObject(status) && (status.conditions ?? []).some(({ type, status: value }) => type === "Established" && value === "True")
}
