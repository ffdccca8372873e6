/** From the kinds of a model to CustomResourceDefinitions: the versions of a resource are one definition. */
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { Vendor } from "../../../runtime/base/vendor.ts"
import type { KindModel, Model } from "../../../model/model.ts"
import { type OpenApiSource, typeIn } from "../../../model/openapi/source.ts"
import { Findings } from "../findings.ts"
import { impliedFields } from "../names.ts"
import { printerColumns, selectableFields } from "./columns.ts"
import { flatFields } from "./fields.ts"
import { StructuralWriter } from "./structural.ts"
import { withPrefix } from "./values.ts"

/** A generated definition, or the reason why there is none, with the findings of each of its schema files. */
export interface MadeDefinition {
  /** `kettles.kitchen.example.com` */
  readonly name: string
  /** Absent: a definition cannot express the kind at all. */
  readonly object?: JsonObject
  readonly findings: readonly { readonly file: string; readonly found: Findings }[]
}

/** Called with the model and the files of an author. Sorted by name. */
export function definitionsOf(model: Model, isOwn: (kind: KindModel) => boolean, vendor: Vendor): readonly MadeDefinition[] {
  const resources = new Map<string, KindModel[]>()
  for (const kind of model.kinds.filter(isOwn)) {
    const key = `${kind.resource}.${kind.group}`
    resources.set(key, [...(resources.get(key) ?? []), kind])
  }
  return [...resources]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, kinds]) => definitionOf(name, kinds.toSorted(byVersion), model, vendor))
}

function definitionOf(name: string, kinds: readonly KindModel[], model: Model, vendor: Vendor): MadeDefinition {
  const findings = kinds.map((kind) => ({ file: kind.file, kind, found: new Findings() }))
  const refused = findings.filter(({ kind, found }) => isRefused(kind, kinds, found))
  const stored = findings.find(({ kind }) => isStored(kind)) ?? findings[0]
  if (refused.length > 0 || stored === undefined) return { name, findings }
  const { kind, listKind, resource, singular, shortNames, categories, namespaced, group } = stored.kind
  const wireGroup = vendor.group(group)
  if (wireGroup.endsWith(`.${vendor.groupDomain}`))
    stored.found.lost(["group"], `servers refuse definitions of ${wireGroup} without an annotation api-approved of its reviewers`)
  for (const one of findings) reportNames(one.kind, stored.kind, one.found)
  const object: JsonObject = {
    apiVersion: vendor.apiVersion("apiextensions.orch.io/v1"),
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource}.${wireGroup}` },
    spec: {
      group: wireGroup,
      names: {
        kind,
        listKind,
        plural: resource,
        singular,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: findings.map(({ kind: one, found }) => versionOf(one, one === stored.kind, sourceOf(model, one), found, vendor)),
    },
  }
  return { name, object, findings }
}

function sourceOf({ kinds, types }: Model, kind: KindModel): OpenApiSource {
  return { kinds: [kind], known: kinds, types, publishesLimits: () => true, hasCompactForm: () => false }
}

function isStored(kind: KindModel): boolean {
  const { storage } = kind
  return storage.group === kind.group && storage.version === kind.version && storage.kind === kind.kind
}

/** Reports a kind that a definition cannot express at all. */
function isRefused(kind: KindModel, kinds: readonly KindModel[], found: Findings): boolean {
  const before = found.losses
  const { storage } = kind
  if (!kind.group.includes(".")) found.lost(["group"], `the group "${kind.group}" is built in: the group of a definition is a domain`)
  if (kind.answeredBy !== undefined) found.lost(["answeredBy"], "the kind is not stored: a definition is of stored objects")
  if (kind.postsTo !== undefined) found.lost(["postsTo"], "the kind is not stored: a definition is of stored objects")
  else if (!kind.verbs.includes("get")) found.lost(["verbs"], "no client reads its objects: a definition is of stored objects")
  if (!isStored(kind) && !kinds.some((one) => isStored(one) && one.version === storage.version && one.kind === storage.kind))
    found.lost(["storage"], `objects are stored as ${storage.kind} of ${storage.group}/${storage.version}: a definition stores its own`)
  return found.losses > before
}

function reportNames(kind: KindModel, stored: KindModel, found: Findings): void {
  for (const word of ["kind", "listKind", "singular", "namespaced"] as const)
    if (kind[word] !== stored[word]) found.lost(["names", word], `all versions of a definition have that of ${stored.version}`)
  for (const word of ["shortNames", "categories"] as const)
    if (kind[word].join() !== stored[word].join())
      found.lost(["names", word], `all versions of a definition have those of ${stored.version}`)
}

function versionOf(kind: KindModel, isStorage: boolean, source: OpenApiSource, found: Findings, vendor: Vendor): JsonObject {
  reportKind(kind, source, found)
  const subresources = subresourcesOf(kind, found)
  return {
    name: kind.version,
    served: kind.served !== false,
    storage: isStorage,
    ...(kind.deprecated !== undefined && { deprecated: true }),
    ...(kind.deprecated?.warning !== undefined && { deprecationWarning: kind.deprecated.warning }),
    ...printerColumns(kind, found),
    ...selectableFields(kind, found),
    ...(Object.keys(subresources).length > 0 && { subresources }),
    schema: { openAPIV3Schema: withPrefix(new StructuralWriter(source, found).root(kind), vendor.extensionPrefix) },
  }
}

function subresourcesOf(kind: KindModel, found: Findings): JsonObject {
  const made: JsonObject = {}
  for (const one of kind.subresources) {
    if (one.name === "status") made.status = {}
    else if (one.scale === undefined) found.lost(["subresources", one.name], "definitions have status and scale alone")
    else {
      const { specReplicas, statusReplicas, selector } = one.scale
      const isSaid = specReplicas.startsWith("spec.") && statusReplicas.startsWith("status.")
      if (!isSaid) found.lost(["subresources", "scale"], "definitions count replicas below spec and status alone")
      else {
        const isText = selector !== undefined && /^(spec|status)\./.test(selector)
        if (selector !== undefined && !isText)
          found.lost(["subresources", "scale", "selector"], "definitions have the selector below spec or status")
        made.scale = {
          specReplicasPath: `.${specReplicas}`,
          statusReplicasPath: `.${statusReplicas}`,
          ...(isText && { labelSelectorPath: `.${selector}` }),
        }
      }
    }
  }
  return made
}

const allVerbs = 8

/** Reports properties of a kind, besides its fields, that a definition cannot express. */
function reportKind(kind: KindModel, source: OpenApiSource, found: Findings): void {
  const fields = flatFields(typeIn(source, kind.type), source).flatMap(({ name }) => (impliedFields.has(name) ? [] : [name]))
  if (kind.verbs.length < allVerbs) found.lost(["verbs"], "definitions have all verbs")
  if (kind.storage.ttlOption !== undefined) found.lost(["storage", "ttl"], "objects of a definition do not expire")
  if (kind.storage.uncached === true) found.note(["storage", "cached"], "definitions do not say how a server reads")
  for (const name of kind.behaviours) found.lost(["behaviours", name], "a behaviour is TypeScript: a definition has none")
  if (kind.notSelectable !== undefined) found.lost(["notSelectable"], "definitions do not word the refusal of field selectors")
  if (kind.rowOrder !== undefined) found.lost(["rowOrder"], "definitions do not order the rows of a table")
  if (kind.completed.length > 0) found.lost(["completed"], "definitions do not mark rows of a table")
  if (kind.warnings.length + kind.warningChecks.length > 0) found.lost(["warnings"], "definitions warn of deprecated versions alone")
  const { propagation, reminder, returns } = kind.delete
  if (propagation !== "background")
    found.lost(["delete", "propagation"], "deletions in definitions are background unless a client says otherwise")
  if (reminder !== undefined) found.lost(["delete", "reminder"], "definitions do not warn of deletions")
  if (returns !== "Status") found.note(["delete", "returns"], "definitions decide by themselves what a deletion returns")
  if (kind.update.createOnUpdate) found.lost(["update", "createOnUpdate"], "an update in definitions does not create")
  if (kind.update.firstGeneration !== undefined) found.lost(["update", "firstGeneration"], "generations start at 1 in definitions")
  if (kind.update.validatesTwice) found.note(["update", "validatesTwice"], "an update in definitions tells each fault once")
  if (!kind.update.checksName) found.note(["update", "checksName"], "updates in definitions never look at generateName by a rule of names")
  if (kind.update.unconditional) found.note(["update", "unconditional"], "an update needs a resourceVersion in definitions")
  if (kind.finalizers !== "any") found.note(["finalizers"], "finalizers need no domain in definitions")
  const { conversion } = kind
  for (const { here, stored } of conversion?.rename ?? [])
    found.lost(["conversion", "rename", here], `${here} is not read as ${stored}: versions of a definition have the same fields`)
  if (conversion?.behaviour !== undefined) found.lost(["conversion", "behaviour"], "a conversion is TypeScript: write a web hook")
  reportLifeCycle(kind, fields, found)
  reportNulls(kind, source, found)
}

/** With the sub-resource status, definitions keep it from users, and count the changes of the rest. */
function reportLifeCycle(kind: KindModel, fields: readonly string[], found: Findings): void {
  const status = kind.subresources.find(({ name }) => name === "status")
  const rest = fields.filter((name) => name !== "status" || status === undefined)
  const counted = kind.update.generation ?? []
  if (rest.some((name) => !counted.includes(name)) || counted.some((name) => !rest.includes(name)))
    found.note(["update", "generation"], `definitions count the changes of ${rest.join(", ") || "nothing"}`)
  const kept = status === undefined || !fields.includes("status") ? [] : ["status"]
  if (kind.update.keeps.join() !== kept.join())
    found.lost(["update", "keeps"], `an update in definitions keeps ${kept.join() || "nothing"}`)
  if (kind.create.drops.join() !== kept.join())
    found.lost(["create", "drops"], `a creation in definitions drops ${kept.join() || "nothing"}`)
  if (status === undefined) return
  const keeps = status.keeps ?? []
  const metadata = ["labels", "annotations", "ownerReferences", "finalizers"].filter(
    (name) => !keeps.includes("metadata") && !keeps.includes(`metadata.${name}`),
  )
  if (metadata.length > 0)
    found.note(["subresources", "status", "keeps"], `a write of status in definitions leaves metadata as it is: ${metadata.join(", ")}`)
  const others = rest.filter((name) => !keeps.includes(name))
  if (others.length > 0)
    found.lost(["subresources", "status", "keeps"], `a write of status in definitions keeps ${others.join(", ")} as well`)
}

const shownPaths = 8

/** Fields in which zero means absent: definitions keep a zero that a client sends. */
function reportNulls(kind: KindModel, source: OpenApiSource, found: Findings): void {
  const paths: string[] = []
  const walk = (name: string, path: string, around: readonly string[]): void => {
    if (around.includes(name) || name.startsWith("meta.")) return
    for (const field of flatFields(typeIn(source, name), source)) {
      const at = path === "" ? field.name : `${path}.${field.name}`
      if (path === "" && impliedFields.has(field.name)) continue
      if ("ref" in field.type) walk(field.type.ref, at, [...around, name])
      else if (!field.pointer && !field.keepEmpty && !field.nonEmpty) paths.push(at)
      const item = "list" in field.type ? field.type.list : "map" in field.type ? field.type.map : undefined
      if (item !== undefined && "ref" in item) walk(item.ref, `${at}[]`, [...around, name])
    }
  }
  walk(kind.type, "", [])
  if (paths.length === 0) return
  const few = paths.slice(0, shownPaths).join(", ") + (paths.length > shownPaths ? ` and ${paths.length - shownPaths} more` : "")
  found.note(["fields"], `definitions keep a zero that a client sends, which is absent here without pointer: true: ${few}`)
}

/** Newest first: v2, v1, v1beta1, v1alpha1. */
function byVersion(left: KindModel, right: KindModel): number {
  const rank = ({ version }: KindModel): readonly number[] => {
    const [, major = "0", stage = "", minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
    return [stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)]
  }
  const [one, other] = [rank(left), rank(right)]
  const index = one.findIndex((number, place) => number !== other[place])
  return index < 0 ? 0 : (other[index] ?? 0) - (one[index] ?? 0)
}
