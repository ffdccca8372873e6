/** SECURITY.md names everything that is accepted and not enforced: kinds whose schemas warn of it, and plugins. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { absentPlugins, permanentPlugins } from "../../runtime/admission/plugins/absent-plugins.ts"
import { repository } from "../../scripts/freshness.mjs"

const [, section = ""] = readFileSync(join(repository, "SECURITY.md"), "utf8").split("## What is accepted and not enforced\n")
const rows = section.split("\n").filter((line) => line.startsWith("| "))

const cellsOf = (row: string): readonly string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The reference's plugins that run by default, release 1.30. */
const byDefault = [
  ...["NamespaceLifecycle", "LimitRanger", "ServiceAccount", "TaintNodesByCondition", "PodSecurity", "Priority"],
  ...["DefaultTolerationSeconds", "DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize"],
  ...["RuntimeClass", "CertificateApproval", "CertificateSigning", "ClusterTrustBundleAttest", "CertificateSubjectRestriction"],
  ...["DefaultIngressClass", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota"],
]

it.each(byDefault)("says whether %s is enforced", (plugin) => {
  // The rows of plugins have three cells, the rows of objects two.
  const [row = "", ...others] = rows.filter((line) => cellsOf(line).length === 3 && cellsOf(line)[0]?.split(", ").includes(plugin))
  expect([plugin, others]).toEqual([plugin, []])
  const state = [...permanentPlugins, "NamespaceLifecycle", "StorageObjectInUseProtection"].includes(plugin) ? "enforced" : "not enforced"
  expect(cellsOf(row)[1]).toMatch(new RegExp(`^${state}`))
  expect(Object.hasOwn(absentPlugins, plugin)).toBe(state === "not enforced")
})

it("names every kind whose schema warns that it is not enforced", () => {
  const schemas = readdirSync(join(repository, "schemas"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yaml"))
  const kinds = schemas.flatMap((path) => {
    const text = readFileSync(join(repository, "schemas", path), "utf8")
    return text.includes("not enforced by this server") ? [/^kind: (\w+)$/m.exec(text)?.[1] ?? path] : []
  })
  expect(new Set(kinds).size).toBe(13)
  for (const kind of kinds) expect([kind, rows.some((row) => cellsOf(row)[0]?.includes(kind))]).toEqual([kind, true])
})
