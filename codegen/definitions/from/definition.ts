/** Reads CustomResourceDefinitions; any other object is refused with the reason. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"

/** A definition as far as its form was checked. */
export interface Definition {
  readonly object: JsonObject
  readonly spec: JsonObject
  /** Neutral: `kitchen.example.com`. */
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly versions: readonly Version[]
  /** Of the extensions: `x-kubernetes-`. */
  readonly prefix: string
}

export interface Version {
  readonly name: string
  readonly index: number
  readonly isStored: boolean
  readonly object: JsonObject
  readonly schema: JsonObject
}

const vendors = (["kubernetes", "orch"] as const).map(vendorProfile)
const groupName = "apiextensions.orch.io"

/** Called for each document of a file. Returns the definition, or the reason why it is none. */
export function definitionOf(value: JsonValue): Definition | { readonly fault: string } {
  if (!isObject(value)) return { fault: "not an object; expected a CustomResourceDefinition" }
  const { apiVersion, kind, spec } = value
  if (kind !== "CustomResourceDefinition") return { fault: `kind ${shown(kind)}; expected CustomResourceDefinition` }
  const vendor = vendors.find((one) => one.apiVersion(`${groupName}/v1`) === apiVersion)
  if (vendor === undefined) return { fault: `apiVersion ${shown(apiVersion)}; expected apiextensions.k8s.io/v1` }
  if (!isObject(spec)) return { fault: "no spec" }
  const names = isObject(spec.names) ? spec.names : {}
  const { group } = spec
  const faults = [
    ...(isText(group) && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(group) ? [] : [`spec.group ${shown(group)}; expected an API group`]),
    ...(isText(names.kind) && /^[A-Z][A-Za-z0-9]*$/.test(names.kind)
      ? []
      : [`spec.names.kind ${shown(names.kind)}; expected letters and digits, beginning with a capital`]),
    ...(isText(names.plural) ? [] : [`spec.names.plural ${shown(names.plural)}; expected the name of the resource`]),
  ]
  const versions = (Array.isArray(spec.versions) ? spec.versions : []).map(versionOf)
  const faulty = versions.find((version) => typeof version === "string")
  if (typeof faulty === "string") faults.push(faulty)
  const read = versions.filter((version) => typeof version !== "string")
  if (versions.length === 0) faults.push("no spec.versions")
  else if (faulty === undefined && read.filter(({ isStored }) => isStored).length !== 1)
    faults.push("spec.versions; expected exactly one version with storage: true")
  if (new Set(read.map(({ name }) => name)).size < read.length) faults.push("spec.versions with one name twice")
  const [fault] = faults
  if (fault !== undefined || !isText(group) || !isText(names.kind) || !isText(names.plural)) return { fault: fault ?? "" }
  return {
    object: value,
    spec,
    group: vendor.neutralGroup(group),
    kind: names.kind,
    plural: names.plural,
    versions: read,
    prefix: vendor.extensionPrefix,
  }
}

function versionOf(value: JsonValue, index: number): Version | string {
  const at = `spec.versions[${index}]`
  if (!isObject(value) || !isText(value.name) || !/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(value.name))
    return `${at}.name ${shown(isObject(value) ? value.name : value)}; expected a version such as v1 or v1beta1`
  const schema = isObject(value.schema) ? value.schema.openAPIV3Schema : undefined
  if (!isObject(schema)) return `${at} without schema.openAPIV3Schema`
  return { name: value.name, index, isStored: value.storage === true, object: value, schema }
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== ""
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "is missing"
  return typeof value === "string" ? JSON.stringify(value) : Array.isArray(value) ? "is a list" : typeof value
}
