/**
 * Names in the OpenAPI documents: definitions, operations, tags. Neutral; the runtime maps them to the vendor's
 * spelling.
 */
import { upperFirst } from "../names.ts"

/** A group and one of its versions. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

const groupPackages: Readonly<Record<string, string>> = {
  meta: "io.orch.apimachinery.pkg.apis.meta",
  "apiextensions.orch.io": "io.orch.apiextensions-apiserver.pkg.apis.apiextensions",
  "apiregistration.orch.io": "io.orch.aggregator.pkg.apis.apiregistration",
  "internal.apiserver.orch.io": "io.orch.api.apiserverinternal",
}

/**
 * `core.v1` Pod → `io.orch.api.core.v1.Pod`; a user's group `kitchen.example.com` v1 Kettle →
 * `com.example.kitchen.v1.Kettle`.
 */
export function definitionName({ group, version }: GroupVersion, name: string): string {
  return `${groupPackages[group] ?? packageOf(group)}.${version}.${name}`
}

function packageOf(group: string): string {
  if (group === "") return "io.orch.api.core"
  const own = group.endsWith(".orch.io") || !group.includes(".")
  return own ? `io.orch.api.${group.split(".")[0] ?? group}` : group.split(".").toReversed().join(".")
}

const metaPackage = `${groupPackages.meta ?? ""}.v1`

/** Definitions of the special scalars that have a definition. */
export const scalarDefinitions: Readonly<Record<string, string>> = {
  Time: `${metaPackage}.Time`,
  MicroTime: `${metaPackage}.MicroTime`,
  Duration: `${metaPackage}.Duration`,
  FieldsV1: `${metaPackage}.FieldsV1`,
  Quantity: "io.orch.apimachinery.pkg.api.resource.Quantity",
  IntOrString: "io.orch.apimachinery.pkg.util.intstr.IntOrString",
  RawExtension: "io.orch.apimachinery.pkg.runtime.RawExtension",
}

/** Any value, in the documents of the kinds of this package. */
export const anyDefinition = `${groupPackages["apiextensions.orch.io"] ?? ""}.v1.JSON`

/** The body of every patch. */
export const patchDefinition = `${metaPackage}.Patch`

/** The response of `/version`. */
export const versionDefinition = "io.orch.apimachinery.pkg.version.Info"

/** `CoreV1`, `RbacAuthorizationV1`: the middle of operation ids, without the hyphens of `v1-10`. */
export function operationScope({ group, version }: GroupVersion): string {
  return groupWords(group).map(upperFirst).join("") + upperFirst(version).replaceAll("-", "")
}

/** `core_v1`, `rbacAuthorization_v1`. */
export function tagOf({ group, version }: GroupVersion): string {
  return `${groupTag(group)}_${version.replaceAll("-", "")}`
}

/** `core`, `rbacAuthorization`. */
export function groupTag(group: string): string {
  const [first = "", ...rest] = groupWords(group)
  return first + rest.map(upperFirst).join("")
}

/** Groups of definitions have their wire names here; operation ids omit the domain, as in kube-apiserver. */
function groupWords(group: string): readonly string[] {
  return group === "" ? ["core"] : group.replace(/\.(?:orch|k8s)\.io$/, "").split(/[.-]/)
}

/** `/api/v1`, `/apis/apps/v1`. */
export function pathPrefix({ group, version }: GroupVersion): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`
}
