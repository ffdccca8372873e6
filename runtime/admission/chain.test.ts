import { describe, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { kinds } from "../../generated/index.ts"
import { ApiError } from "../base/errors.ts"
import { AdmissionChain } from "./chain.ts"
import type { AdmissionPlugin, OpenAttributes } from "./plugin.ts"
import { choosePlugins } from "./plugins/index.ts"
import { serverAttributes, serverUser } from "./server-identity.ts"

const clock = createManualClock()
const chainOf = (...plugins: AdmissionPlugin[]): AdmissionChain => new AdmissionChain(plugins, { clock, timeoutMs: 1000 })

function attributes(): OpenAttributes {
  const kind = kinds.find(({ resource }) => resource === "pods")
  if (kind === undefined) throw new Error("pods are served")
  const made = serverAttributes(serverUser, "CREATE", { kind, namespace: "n", name: "p" })
  made.object = { metadata: { name: "p" } }
  return made
}

const labelled = (name: string): AdmissionPlugin => ({
  name,
  operations: ["CREATE"],
  mutate: ({ object }) => ({ ...object, metadata: { ...object?.metadata, labels: { ...object?.metadata?.labels, [name]: "was here" } } }),
})

describe("an admission chain", () => {
  it("is synchronous if its plugins are", () => {
    const chain = chainOf({ name: "a", operations: ["CREATE"], mutate: () => undefined, validate: () => undefined })
    expect([chain.mutate(attributes()), chain.validate(attributes())]).toEqual([false, undefined])
  })

  it("passes the object of one plugin to the next, even if one of them is asynchronous", async () => {
    const waiting: AdmissionPlugin = {
      name: "waiting",
      operations: ["CREATE"],
      mutate: async (seen) => labelled("waiting").mutate?.(seen),
    }
    const made = attributes()
    expect(await chainOf(labelled("first"), waiting, labelled("last")).mutate(made)).toBe(true)
    expect(Object.keys(made.object?.metadata?.labels ?? {})).toEqual(["first", "waiting", "last"])
  })

  it("reports a change by a plugin that ran before an asynchronous one", async () => {
    const waiting: AdmissionPlugin = { name: "waiting", operations: ["CREATE"], mutate: async () => undefined }
    expect(await chainOf(labelled("first"), waiting).mutate(attributes())).toBe(true)
    expect(await chainOf(waiting).mutate(attributes())).toBe(false)
  })

  it("calls only plugins for the operation, and none after the first refusal", () => {
    const asked: string[] = []
    const plugin = (name: string, operations: AdmissionPlugin["operations"], refuses = false): AdmissionPlugin => ({
      name,
      operations,
      validate: () => {
        asked.push(name)
        if (refuses) throw new ApiError(403, "Forbidden", name)
      },
    })
    const chain = chainOf(
      plugin("a", ["DELETE"]),
      plugin("b", ["UPDATE", "CREATE"]),
      plugin("c", ["CREATE"], true),
      plugin("d", ["CREATE"]),
    )
    expect(() => chain.validate(attributes())).toThrow("c")
    expect(asked).toEqual(["b", "c"])
    expect([chain.mutates("CREATE"), chain.validates("CREATE"), chain.validates("CONNECT")]).toEqual([false, true, false])
  })

  it("ignores the object that a plugin returns for a deletion", () => {
    const made: OpenAttributes = { ...attributes(), operation: "DELETE", object: undefined }
    const chain = chainOf({ name: "a", operations: ["DELETE"], mutate: () => ({ kind: "Other" }) })
    expect([chain.mutate(made), made.object]).toEqual([false, undefined])
  })

  it("limits the time of an asynchronous plugin when the request has no deadline", async () => {
    const chain = chainOf({ name: "slow", operations: ["CREATE"], validate: () => new Promise(() => undefined) })
    const judged = expect(chain.validate(attributes())).rejects.toMatchObject({ code: 504, message: expect.stringContaining("slow") })
    await clock.advance(1000)
    await judged
  })
})

/** Plugins that `kube-apiserver --help` lists, release 1.30. */
const reference = [
  ...["AlwaysAdmit", "AlwaysDeny", "AlwaysPullImages", "CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction"],
  ...["ClusterTrustBundleAttest", "DefaultIngressClass", "DefaultStorageClass", "DefaultTolerationSeconds", "DenyServiceExternalIPs"],
  ...["EventRateLimit", "ExtendedResourceToleration", "ImagePolicyWebhook", "LimitPodHardAntiAffinityTopology", "LimitRanger"],
  ...["MutatingAdmissionWebhook", "NamespaceAutoProvision", "NamespaceExists", "NamespaceLifecycle", "NodeRestriction"],
  ...["OwnerReferencesPermissionEnforcement", "PersistentVolumeClaimResize", "PersistentVolumeLabel", "PodNodeSelector", "PodSecurity"],
  ...["PodTolerationRestriction", "Priority", "ResourceQuota", "RuntimeClass", "ServiceAccount", "StorageObjectInUseProtection"],
  ...["TaintNodesByCondition", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"],
]

/** Plugins of that list that exist here. */
const enforced: readonly string[] = ["NamespaceLifecycle", "NodeRestriction", "StorageObjectInUseProtection"]

describe("the built-in plugins", () => {
  const warned: string[] = []
  const namesOf = (enable: readonly string[], disable: readonly string[]): readonly string[] => {
    const options = { "enable-admission-plugins": enable, "disable-admission-plugins": disable }
    warned.length = 0
    return choosePlugins(options, (text) => warned.push(text)).map(({ name }) => name)
  }

  it("are the default ones, plus and minus those in the options", () => {
    expect(namesOf([], [])).toEqual(["namespaceLifecycle"])
    expect(namesOf(["NodeRestriction", "NamespaceLifecycle"], [])).toEqual(["namespaceLifecycle", "nodeRestriction"])
    expect(namesOf(["NodeRestriction"], ["NamespaceLifecycle"])).toEqual(["nodeRestriction"])
    expect(namesOf(["StorageObjectInUseProtection"], [])).toEqual(["namespaceLifecycle", "storageProtection"])
    expect(warned).toEqual([])
  })

  it("say what is not enforced of the plugins of the reference that are not here, and that others cannot be turned off", () => {
    expect(namesOf(["PodSecurity", "NodeRestriction", "CertificateSigning"], [])).toEqual(["namespaceLifecycle", "nodeRestriction"])
    expect(warned).toEqual([
      "--enable-admission-plugins: PodSecurity is not enforced by this server: the pod-security labels of Namespaces have no effect, and pods may be privileged",
    ])
    expect(namesOf([], ["ServiceAccount", "CertificateApproval"])).toEqual(["namespaceLifecycle"])
    expect(warned).toEqual([
      "--disable-admission-plugins: this server does not have ServiceAccount anyway",
      "--disable-admission-plugins: CertificateApproval stays on, no option turns it off",
    ])
  })

  it.each(["Nonsense", "podsecurity", "constructor", "__proto__", ""])("are not %j", (name) => {
    expect(() => namesOf([name], [])).toThrow(`--enable-admission-plugins: ${name} is not known`)
    expect(() => namesOf([], [name])).toThrow(`--disable-admission-plugins: ${name} is not known`)
  })

  it("know every name that the reference has", () => {
    for (const name of reference) {
      expect([name, namesOf([name], []).length > 0]).toEqual([name, true])
      namesOf([], [name])
      expect([name, warned.length]).toEqual([name, enforced.includes(name) ? 0 : 1])
    }
  })
})
