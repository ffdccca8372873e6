/** The bootstrap policy beside the catalog of the built-in API, which lies next to a checkout (or ORCH_CATALOG). */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { bootstrapPolicy } from "../../runtime/controllers/rbac/bootstrap-policy.ts"

const repository = join(import.meta.dirname, "..", "..")
const file = join(resolve(repository, process.env.ORCH_CATALOG ?? "../shared/catalog"), "rbac.yaml")

interface CatalogObject {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

type Lists = Readonly<Record<string, readonly CatalogObject[]>>

/** Names of the vendor `orch`, as the head of the catalog file says. */
function neutral(text: string): string {
  return text.replaceAll(/kubernetes\.io|k8s\.io/g, "orch.io").replaceAll(/"kube-(system|public)"/g, '"orch-$1"')
}

describe.skipIf(!existsSync(file))("the bootstrap policy", () => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "{}"
  const cases = [
    ["clusterRoles", ["clusterRoles", "controllerClusterRoles"]],
    ["clusterRoleBindings", ["clusterRoleBindings", "controllerClusterRoleBindings"]],
    ["roles", ["roles"]],
    ["roleBindings", ["roleBindings"]],
  ] as const

  it.each(cases)("has the %s of the catalog, for both vendors", (which, keys) => {
    for (const vendor of ["kubernetes", "orch"] as const) {
      const catalog = parse(vendor === "orch" ? neutral(text) : text, { uniqueKeys: false }) as Lists
      const wanted = keys.flatMap((key) => catalog[key] ?? [])
      expect(wanted.length).toBeGreaterThan(5)
      const made = new Map(bootstrapPolicy(vendorProfile(vendor))[which].map((object) => [nameOf(object), object]))
      expect([...made.keys()].sort()).toEqual(wanted.map(nameOf).sort())
      for (const { ...object } of wanted) expect(made.get(nameOf(object))).toEqual(content(object))
    }
  })
})

function nameOf({ metadata: { namespace = "", name } }: CatalogObject): string {
  return `${namespace}/${name}`
}

/** Without the kind, which the operation states; the rules of aggregated roles are not listed. */
function content(object: CatalogObject): object {
  const { apiVersion: _version, kind, ...rest } = object as CatalogObject & { apiVersion: string; kind: string }
  return kind.endsWith("Role") ? { rules: [], ...rest } : rest
}
