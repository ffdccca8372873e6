/**
 * The bootstrap policy beside the facts in `bootstrap-policy.txt`, which are kept here so that they are compared
 * everywhere, and the facts beside the catalog of the built-in API where it lies next to a checkout. The facts come
 * from a kube-apiserver 1.30.14; the catalog differs from them in a few lines.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { bootstrapPolicy } from "../../runtime/controllers/rbac/bootstrap-policy.ts"
import { catalogText, describeCatalog } from "./catalog.ts"
import { type PolicyObject, policyLines } from "./policy-lines.ts"

/** The facts, with the names of Kubernetes. */
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

/** Each rule with the name of its role, and its groups in one order. */
function unordered(lines: readonly string[]): string[] {
  let role = ""
  return lines.map((line) => {
    if (!line.startsWith(" ")) role = /system:controller:(\S+)/.exec(line)?.[1] ?? line
    const groups = / of (\S+)$/.exec(line)?.[1]
    return `${role}: ${groups === undefined ? line : line.slice(0, -groups.length) + groups.split(",").sort().join(",")}`
  })
}

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
    const lines = policyLines(objects.map(({ apiVersion: _version, ...one }: PolicyObject & { apiVersion?: string }) => one))
    const [ofCatalog, ofReference] = [unordered(lines), unordered(facts)]
    expect(ofCatalog.filter((line) => !ofReference.includes(line))).toEqual([
      "node-controller:   delete,get,list pods of core",
      "statefulset-controller:   create,get persistentvolumeclaims of core",
    ])
    expect(ofReference.filter((line) => !ofCatalog.includes(line))).toEqual([
      "node-controller:   delete,list pods of core",
      "node-controller:   get pods of core",
      "statefulset-controller:   create,get,list,watch persistentvolumeclaims of core",
      "statefulset-controller:   update pods/finalizers of core",
    ])
  })
})
