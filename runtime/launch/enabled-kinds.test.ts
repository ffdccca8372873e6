import { describe, expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { vendorProfile } from "../base/vendor.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import type { Kind } from "../schema/kind.ts"
import { enabledKinds } from "./enabled-kinds.ts"

const vendor = vendorProfile("kubernetes")

function enabled(config: Options["runtime-config"], gates: Options["feature-gates"] = {}): readonly Kind[] {
  const options = { "runtime-config": config, "feature-gates": { ...defaultOptions()["feature-gates"], ...gates } }
  return enabledKinds(kinds, { options, vendor, builtIn: new Set(kinds) })
}

/** `storage.orch.io/v1alpha1/volumeattributesclasses` */
function served(found: readonly Kind[]): readonly string[] {
  return found.filter((kind) => kind.served !== false).map(({ group, version, resource }) => `${group}/${version}/${resource}`)
}

const all = served(kinds)
const optional = served(kinds.filter((kind) => kind.optional !== undefined))

describe("the kinds that are served", () => {
  it("are those that are not optional", () => {
    expect(served(enabled({}))).toEqual(all.filter((name) => !optional.includes(name)))
    expect(optional).toContain("networking.orch.io/v1alpha1/ipaddresses")
  })

  it("are more with a group version, one of its resources, or all versions of a stability", () => {
    expect(served(enabled({ "networking.k8s.io/v1alpha1": true }))).toContain("networking.orch.io/v1alpha1/servicecidrs")
    const one = served(enabled({ "networking.k8s.io/v1alpha1/ipaddresses": true }))
    expect(one).toContain("networking.orch.io/v1alpha1/ipaddresses")
    expect(one).not.toContain("networking.orch.io/v1alpha1/servicecidrs")
    const gates = { ClusterTrustBundle: true, VolumeAttributesClass: true }
    expect(served(enabled({ "api/all": true }, gates))).toEqual(all)
    expect(served(enabled({ "api/alpha": true, "api/beta": true }, gates))).toEqual(all)
    const withAlpha = served(enabled({ "api/alpha": true }, gates))
    expect(withAlpha).toEqual(all.filter((name) => !optional.includes(name) || name.includes("alpha")))
    const others = served(enabled({ "api/alpha": true, "networking.k8s.io/v1alpha1": false }))
    expect(others).toContain("resource.orch.io/v1alpha2/resourceclaims")
    expect(others).not.toContain("networking.orch.io/v1alpha1/ipaddresses")
  })

  it("need the gate that their schema names", () => {
    const config = { "storage.k8s.io/v1alpha1": true }
    const name = "storage.orch.io/v1alpha1/volumeattributesclasses"
    expect(served(enabled(config))).not.toContain(name)
    expect(served(enabled({}, { VolumeAttributesClass: true }))).not.toContain(name)
    expect(served(enabled(config, { VolumeAttributesClass: true }))).toContain(name)
  })

  it("are fewer when versions are off, whose objects are still read while another version is on", () => {
    const found = enabled({ "autoscaling/v2": false })
    expect(served(found)).not.toContain("autoscaling/v2/horizontalpodautoscalers")
    expect(found.find(({ group, version }) => group === "autoscaling" && version === "v2")?.served).toBe(false)
    expect(enabled({ "autoscaling/v1": false, "autoscaling/v2": false }).some(({ group }) => group === "autoscaling")).toBe(false)
    expect(served(enabled({ "batch/v1/cronjobs": false }))).not.toContain("batch/v1/cronjobs")
    const least = served(enabled({ "api/all": false }))
    expect(least).toContain("/v1/namespaces")
    expect(least).not.toContain("apps/v1/deployments")
    expect(served(enabled({ "api/all": false, "api/ga": true }))).toContain("apps/v1/deployments")
  })

  it("cannot be turned on or off by a name of nothing, nor off where the server needs them", () => {
    expect(() => enabled({ "networking.k8s.io/v1alpha2": true })).toThrow("did you mean networking.k8s.io/v1alpha1?")
    expect(() => enabled({ "networking.orch.io/v1": true })).toThrow("--runtime-config: networking.orch.io/v1 is no group/version")
    for (const key of ["v1", "v1/secrets", "coordination.k8s.io/v1"])
      expect(() => enabled({ [key]: false })).toThrow(`${key} cannot be off: the server itself needs it`)
    expect(served(enabled({ "api/legacy": false, v1: true }))).toEqual(served(enabled({})))
    expect(served(enabled({ "api/v1": true, "api/v1/pods": true }))).toEqual(served(enabled({})))
    expect(() => enabled({ "api/v1": false })).toThrow("v1 cannot be off")
  })

  it("of a user are on whatever is said of all", () => {
    const options = { "runtime-config": { "api/all": false }, "feature-gates": defaultOptions()["feature-gates"] }
    const own: Kind[] = kinds.filter(({ group }) => group === "batch")
    const found = enabledKinds(kinds, { options, vendor, builtIn: new Set(kinds.filter((kind) => !own.includes(kind))) })
    expect(served(found)).toEqual(expect.arrayContaining([...served(own)]))
    expect(served(found)).not.toContain("apps/v1/deployments")
  })
})
