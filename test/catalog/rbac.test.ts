/**
 * The bootstrap policy beside the facts in `bootstrap-policy.txt`, which are kept here so that they are compared
 * everywhere, and the facts beside the catalog of the built-in API where it lies next to a checkout.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { bootstrapPolicy } from "../../runtime/controllers/rbac/bootstrap-policy.ts"
import { catalogText, describeCatalog } from "./catalog.ts"
import { type PolicyObject, policyLines } from "./policy-lines.ts"

/** In the names of Kubernetes. To update: write the lines of the catalog, which the last test prints. */
const facts = readFileSync(join(import.meta.dirname, "bootstrap-policy.txt"), "utf8")
  .trimEnd()
  .split("\n")

/** Names of the vendor `orch`, as the head of the catalog file says. */
function neutral(text: string): string {
  return text.replaceAll(/kubernetes\.io|k8s\.io/g, "orch.io").replaceAll(/\bkube-(system|public)\//g, "orch-$1/")
}

it.each(["kubernetes", "orch"] as const)("the bootstrap policy has every role and binding of the facts, for the vendor %s", (vendor) => {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy(vendorProfile(vendor))
  const made = [
    ...clusterRoles.map((one) => ({ kind: "ClusterRole", ...one })),
    ...clusterRoleBindings.map((one) => ({ kind: "ClusterRoleBinding", ...one })),
    ...roles.map((one) => ({ kind: "Role", ...one })),
    ...roleBindings.map((one) => ({ kind: "RoleBinding", ...one })),
  ]
  expect(made.length).toBe(123)
  expect(policyLines(made)).toEqual(vendor === "orch" ? facts.map(neutral) : facts)
})

describeCatalog("the facts of the bootstrap policy", () => {
  it("are those of the catalog", () => {
    const lists = [
      "clusterRoles",
      "controllerClusterRoles",
      "clusterRoleBindings",
      "controllerClusterRoleBindings",
      "roles",
      "roleBindings",
    ]
    // The format of the catalog, where some rules repeat a key.
    const catalog = parse(catalogText("rbac.yaml"), { uniqueKeys: false }) as Readonly<Record<string, readonly PolicyObject[]>>
    const objects = lists.flatMap((list) => catalog[list] ?? [])
    expect(policyLines(objects.map(({ apiVersion: _version, ...one }: PolicyObject & { apiVersion?: string }) => one))).toEqual(facts)
  })
})
