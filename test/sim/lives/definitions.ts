/**
 * The definitions of the simulation's own kinds: bodies of clients, and the content of a stored definition or object.
 * The schema of each version has one property of its own, with a default, so that every object shows the schema by
 * which it was written or read. Both versions have `status` and `scale`.
 */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { typed } from "../../../runtime/schema/typed.ts"
import type { ObjectChange, Place, Resource, StoredObjects } from "./stored-objects.ts"

export const customResources = ["widgets", "gears"] as const
export type CustomResource = (typeof customResources)[number]
export const customVersions = ["v1", "v2"] as const
export type CustomVersion = (typeof customVersions)[number]

/** The parts of a definition that its states differ in. */
export interface DefinitionShape {
  /** With the name of a version, it names the property that only the schema of this version has. */
  readonly mark: string
  readonly storage: CustomVersion
  readonly served: readonly CustomVersion[]
}

/** The content of a stored definition. */
export interface DefinitionState extends DefinitionShape {
  readonly uid: string
  readonly isEstablished: boolean
  /** Its deletion has begun: the server creates no more objects of it. */
  readonly isGoing: boolean
  readonly storedVersions: readonly string[]
}

const group = "sim.example.org"
const customKinds = { widgets: "Widget", gears: "Gear" } as const
const markPrefix = "mark-"

export function isCustom(resource: Resource): resource is CustomResource {
  return resource === "widgets" || resource === "gears"
}

/** `apiVersion` and `kind` of objects, also in references to them. */
export function typeOf(resource: Resource, version: CustomVersion = "v1"): { apiVersion: string; kind: string } {
  return isCustom(resource) ? { apiVersion: `${group}/${version}`, kind: customKinds[resource] } : { apiVersion: "v1", kind: "ConfigMap" }
}

/** The resource of a kind that can own others. */
export function ownerResource(kind: string): Resource {
  return customResources.find((resource) => customKinds[resource] === kind) ?? "configmaps"
}

/** The path of an API for objects in this version. */
export function customApi(version: CustomVersion): string {
  return `/apis/${group}/${version}`
}

export function definitionPlace(resource: CustomResource): Place {
  return { resource: "customresourcedefinitions", namespace: "", name: `${resource}.${group}` }
}

/** The body of a create; a merge patch of its `spec.versions` changes every part that may differ. */
export function definitionBody(resource: CustomResource, shape: DefinitionShape): JsonObject {
  const { name } = definitionPlace(resource)
  const kind = customKinds[resource]
  const names = { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }
  return { metadata: { name }, spec: { group, scope: "Namespaced", names, versions: versionsOf(shape) } }
}

export function versionsOf({ mark, served, storage }: DefinitionShape): JsonObject[] {
  const text = { type: "string" }
  const replicas = { type: "integer" }
  const status = { type: "object", properties: { state: text, replicas } }
  return customVersions.map((name) => {
    const properties = { text, shared: text, replicas, [`${markPrefix}${markIn(mark, name)}`]: { ...text, default: "here" } }
    // The default of `spec` makes the defaults inside of it apply to objects without a spec.
    const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", default: {}, properties }, status } }
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
    return {
      name,
      served: served.includes(name),
      storage: name === storage,
      subresources: { status: {}, scale },
      schema: { openAPIV3Schema },
    }
  })
}

/** The mark that objects show in a version of a definition. */
export function markIn(mark: string, version: CustomVersion): string {
  return `${mark}-${version}`
}

/** Undefined for a definition that does not exist. */
export function stateOf(object: ApiObject | undefined): DefinitionState | undefined {
  if (object === undefined) return undefined
  const { metadata, spec, status } = typed<CustomResourceDefinition>(object)
  const versions = spec.versions ?? []
  const schema: unknown = versions[0]?.schema?.openAPIV3Schema?.properties?.spec
  const named = (holds: (version: (typeof versions)[number]) => boolean): CustomVersion[] =>
    customVersions.filter((name) => versions.some((version) => version.name === name && holds(version)))
  return {
    uid: metadata.uid ?? "",
    mark: (isObject(schema) ? marksIn(schema.properties) : [])[0]?.replace(/-v\d$/, "") ?? "",
    served: named((version) => version.served),
    storage: named((version) => version.storage)[0] ?? "v1",
    isEstablished: (status?.conditions ?? []).some(({ type, status: value }) => type === "Established" && value === "True"),
    isGoing: metadata.deletionTimestamp !== undefined,
    storedVersions: status?.storedVersions ?? [],
  }
}

/** The marks of the schemas that an object shows; of one alone, normally. */
export function marksOf({ spec }: ApiObject): readonly string[] {
  return marksIn(spec)
}

function marksIn(value: unknown): string[] {
  const names = isObject(value) ? Object.keys(value) : []
  return names.filter((name) => name.startsWith(markPrefix)).map((name) => name.slice(markPrefix.length))
}

/** The parts of a custom object that no change of its definition touches, in any version; for comparisons. */
export function lastingPart({ metadata, spec, status }: ApiObject): JsonObject {
  const { resourceVersion: _resourceVersion, managedFields: _managedFields, ...rest } = metadata ?? {}
  return { metadata: rest, spec: lastingSpec(spec), ...(status !== undefined && { status }) }
}

/** The fields of the spec that clients write. */
export function lastingSpec(spec: JsonValue | undefined): JsonObject {
  const { text, shared, replicas } = isObject(spec) ? spec : {}
  return { ...(text !== undefined && { text }), ...(shared !== undefined && { shared }), ...(replicas !== undefined && { replicas }) }
}

/** The states of a definition at a revision and after it, up to another one. */
export function statesDuring(
  stored: StoredObjects,
  resource: CustomResource,
  when: { readonly since: number; readonly until: number },
): (DefinitionState | undefined)[] {
  return stored.during(definitionPlace(resource), when).map(stateOf)
}

/** Whether the change alters how objects of the kind are served: watches of them end. */
export function isNewShape({ before, object }: ObjectChange): boolean {
  const [was, is] = [stateOf(before), stateOf(object)]
  return was?.uid !== is?.uid || was?.mark !== is?.mark || was?.isEstablished !== is?.isEstablished
}
