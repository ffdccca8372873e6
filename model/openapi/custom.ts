/**
 * Documents of kinds that definitions add at run time: their paths, and their schemas as authors wrote them. They
 * differ from built-in kinds as in kube-apiserver: no deprecated watch paths, no strategic merge patch.
 */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Kind } from "../../runtime/schema/kind.ts"
import type { KindModel } from "../model.ts"
import { media } from "./common.ts"
import { documentV2 } from "./document-v2.ts"
import { documentV3 } from "./document-v3.ts"
import { definitionName, pathPrefix } from "./names.ts"
import { kindPaths } from "./operations.ts"
import { listParameters } from "./parameters.ts"
import type { OperationFacts, PathFacts } from "./path-facts.ts"
import type { DocumentVersion } from "./fixed-definitions.ts"
import type { OpenApiSource } from "./source.ts"

/** A kind of a definition, with names as on the wire. */
export interface CustomKind {
  /** As `Kind`, but with the group as on the wire. */
  readonly kind: Kind
  /** `openAPIV3Schema` of its version. Absent: objects may hold anything. */
  readonly schema: JsonObject | undefined
}

export interface CustomDocument {
  /** Paths and shared definitions, in neutral names. */
  readonly document: JsonObject
  /** Definitions of the kinds and their lists by name. Names in them are the author's own: they must not be mapped. */
  readonly schemas: JsonObject
}

/**
 * Builds the document of one group version. `shared`: definitions of the same version to which the kinds refer
 * (ObjectMeta, Status, Scale), by neutral name; `prefix`: the prefix of the vendor's extensions, such as
 * `x-kubernetes-`; `vendorName`: the vendor's name of a definition.
 */
export function customDocument(
  kinds: readonly CustomKind[],
  version: DocumentVersion,
  options: { readonly shared: JsonObject; readonly prefix: string; readonly vendorName: (neutral: string) => string },
): CustomDocument {
  const models = kinds.map(({ kind }) => modelOf(kind))
  const schemas: JsonObject = {}
  for (const custom of kinds) Object.assign(schemas, schemasOf(custom, version, options))
  const source: OpenApiSource = {
    kinds: models,
    known: [],
    types: new Map(),
    publishesLimits: () => false,
    hasCompactForm: () => false,
    schemas: { ...options.shared, ...Object.fromEntries(Object.keys(schemas).map((name) => [name, metaReferences(version)])) },
  }
  const paths = models.flatMap(customPaths).toSorted((left, right) => (left.path < right.path ? -1 : 1))
  const [first] = models
  const path = first === undefined ? "" : pathPrefix(first).slice(1)
  const document = version === "v3" ? documentV3(source, { path, paths }) : documentV2(source, [{ path, paths }])
  return { document, schemas }
}

const meta = { group: "meta", version: "v1" }
const objectMeta = definitionName(meta, "ObjectMeta")
const listMeta = definitionName(meta, "ListMeta")

/** Takes the place of the schemas of kinds, so that the definitions to which they refer are found. */
function metaReferences(version: DocumentVersion): JsonObject {
  return { allOf: [objectMeta, listMeta].map((name) => ({ $ref: referenceTo(name, version) })) }
}

function referenceTo(name: string, version: DocumentVersion): string {
  return `${version === "v2" ? "#/definitions/" : "#/components/schemas/"}${name}`
}

/** The parts of a kind from which its paths are built. */
function modelOf(kind: Kind): KindModel {
  const { group, version, listKind, resource, singular, namespaced, verbs, subresources, rules } = kind
  return {
    file: "",
    group,
    version,
    kind: kind.kind,
    doc: "",
    listKind,
    resource,
    singular,
    shortNames: [],
    categories: [],
    namespaced,
    verbs,
    nameRule: kind.nameRule,
    type: "",
    storage: kind.storage,
    selectable: [],
    columns: [],
    completed: [],
    subresources,
    create: { drops: [] },
    update: { keeps: [], createOnUpdate: false, unconditional: false, validatesTwice: false, checksName: false },
    finalizers: "any",
    delete: { propagation: rules.defaultPropagation, returns: rules.deleteReturns },
    behaviours: [],
    warnings: [],
    warningChecks: [],
  }
}

function customPaths(kind: KindModel): PathFacts[] {
  const noOptions = (): never => {
    throw new Error("a custom kind passes no request on")
  }
  return kindPaths(kind, noOptions)
    .filter(({ path }) => !path.startsWith(`${pathPrefix(kind)}/watch/`))
    .map((facts) => ({ ...facts, operations: facts.operations.map((operation) => customOperation(operation, kind)) }))
}

function customOperation(operation: OperationFacts, { group, version, kind }: KindModel): OperationFacts {
  const { stream: _stream, body, ...facts } = operation
  const responses = facts.method === "patch" ? facts.responses.slice(0, 1) : facts.responses
  const isRead = facts.action === "get"
  const isAll = facts.action === "deletecollection"
  const sent = isAll ? undefined : body
  return {
    ...facts,
    ...(isRead && { parameters: ["resourceVersion"] }),
    ...(isAll && { parameters: listParameters }),
    consumes: [media.json, media.yaml],
    kind: { group, version, kind },
    responses,
    ...(sent !== undefined && { body: sent.patch ? { ...sent, strategic: false } : sent }),
  }
}

function schemasOf(
  { kind, schema }: CustomKind,
  version: DocumentVersion,
  { prefix, vendorName }: { readonly prefix: string; readonly vendorName: (neutral: string) => string },
): JsonObject {
  const own = definitionName(kind, kind.kind)
  const metadata = (name: string, description: string): JsonObject => {
    const $ref = referenceTo(vendorName(name), version)
    return version === "v2" ? { description, $ref } : { description, allOf: [{ $ref }] }
  }
  const gvk = (name: string): JsonObject => ({
    [`${prefix}group-version-kind`]: [{ group: kind.group, kind: name, version: kind.version }],
  })
  const published = schema === undefined ? { type: "object" } : publishedSchema(schema, { version, prefix, metadata })
  const preservesUnknown = kind.custom?.preservesUnknown === true || schema?.[`${prefix}preserve-unknown-fields`] === true
  const isOpen = schema === undefined || (version === "v2" && preservesUnknown)
  const object = isOpen
    ? { type: "object" }
    : {
        ...published,
        properties: {
          ...properties(published),
          ...typeMeta,
          metadata: metadata(objectMeta, "Standard object's metadata: name, labels and bookkeeping that every object has."),
        },
      }
  return {
    [own]: { ...object, ...gvk(kind.kind) },
    [definitionName(kind, kind.listKind)]: {
      description: `A list of objects of kind ${kind.kind}.`,
      type: "object",
      required: ["items"],
      properties: {
        ...typeMeta,
        items: { description: `List of ${kind.resource}.`, type: "array", items: { $ref: referenceTo(own, version) } },
        metadata: metadata(listMeta, "Version of the list, and how to read on."),
      },
      ...gvk(kind.listKind),
    },
  }
}

const typeMeta: JsonObject = {
  apiVersion: { description: "APIVersion defines the form of the object: its group and version.", type: "string" },
  kind: { description: "Kind of the object, as the path of the request implies it; cannot be changed.", type: "string" },
}

function properties({ properties: found }: JsonObject): JsonObject {
  return isObject(found) ? found : {}
}

interface Publishing {
  readonly version: DocumentVersion
  readonly prefix: string
  readonly metadata: (name: string, description: string) => JsonObject
}

/** Keywords of a structural schema that are published as they are. */
const keywords = [
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
]
/** Of version 3 alone: clients of version 2 cannot read them. */
const laterKeywords = ["default", "nullable", "allOf", "oneOf", "anyOf", "not"]

/**
 * The published form of a schema. Version 2 publishes no type, fields or items for values that may be null or hold
 * unknown fields: clients would refuse such values.
 */
function publishedSchema(schema: JsonObject, publishing: Publishing): JsonObject {
  const { version, prefix } = publishing
  const published: JsonObject = {}
  const extension = (name: string): JsonValue | undefined => schema[prefix + name]
  const isOpen = extension("preserve-unknown-fields") === true
  const isUntyped = version === "v2" && (schema.nullable === true || isOpen)
  for (const name of version === "v2" ? keywords : [...keywords, ...laterKeywords]) {
    const value = schema[name]
    if (value !== undefined && value !== null) published[name] = value
  }
  const { additionalProperties = null } = schema
  Object.assign(published, innerSchemas(isUntyped ? { additionalProperties } : schema, publishing))
  if (version === "v2") untype(published, schema, { isOpen })
  if (version === "v3" && extension("int-or-string") === true && !saysIntOrString(schema))
    published.anyOf = [{ type: "integer" }, { type: "string" }]
  if (extension("embedded-resource") === true && !(version === "v2" && isOpen)) embed(published, publishing)
  for (const name in schema) if (name.startsWith(prefix)) published[name] = schema[name]
  return published
}

function innerSchemas({ properties: fields, items, additionalProperties }: JsonObject, publishing: Publishing): JsonObject {
  const inner = (one: JsonValue | undefined): JsonValue => (isObject(one) ? publishedSchema(one, publishing) : (one ?? {}))
  return {
    ...(isObject(fields) && { properties: Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, inner(one)])) }),
    ...(isObject(items) && { items: inner(items) }),
    ...(isObject(additionalProperties) && { additionalProperties: inner(additionalProperties) }),
    ...(typeof additionalProperties === "boolean" && { additionalProperties }),
  }
}

function untype(published: JsonObject, schema: JsonObject, { isOpen }: { readonly isOpen: boolean }): void {
  const isListOfAny = schema.type === "array" && published.items === undefined
  if (schema.nullable === true || isListOfAny || (isOpen && schema.type === "object")) delete published.type
  const fields = isObject(schema.properties) ? schema.properties : {}
  const { required, additionalProperties } = schema
  if (Array.isArray(required)) {
    const kept = required.filter((name) => {
      const field = typeof name === "string" ? fields[name] : undefined
      return !(isObject(field) && field.nullable === true)
    })
    if (kept.length === 0 || (isObject(additionalProperties) && additionalProperties.nullable === true)) delete published.required
    else published.required = kept
  }
}

/** Whether the author has stated that the value is an integer or a text. */
function saysIntOrString({ anyOf, allOf }: JsonObject): boolean {
  const first = Array.isArray(allOf) ? allOf[0] : undefined
  return Array.isArray(anyOf) || (isObject(first) && Array.isArray(first.anyOf))
}

function embed(published: JsonObject, { metadata }: Publishing): void {
  const required = Array.isArray(published.required) ? published.required : []
  published.properties = {
    ...properties(published),
    ...typeMeta,
    metadata: metadata(objectMeta, "Standard object's metadata: name, labels and bookkeeping that every object has."),
  }
  published.required = [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))]
}
