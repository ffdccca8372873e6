import { describe, expect, it } from "vitest"
import { bodies } from "../../generated/index.ts"
import { partialObjectMetadataShape } from "../../generated/meta/v1/table/shape.ts"
import { bodyLoader } from "../body-kinds.ts"
import { createProtobufCodec } from "../encoding/protobuf/codec.ts"
import { unwrapUnknown } from "../encoding/protobuf/envelope.ts"
import type { Kind } from "../schema/kind.ts"
import { KindTable } from "../registry/kinds.ts"
import { vendorProfile } from "../base/vendor.ts"
import { groupDiscoveryListShape } from "./aggregated.ts"
import { aggregatedForm, Discovery } from "./discovery.ts"
import { apiResourceList, servedGroups } from "./documents.ts"

const vendor = vendorProfile("kubernetes")

function kind(fields: Partial<Kind> & Pick<Kind, "group" | "version" | "kind" | "resource">): Kind {
  return {
    listKind: `${fields.kind}List`,
    singular: fields.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ["create", "delete", "get", "list"],
    nameRule: "dns-subdomain",
    storage: { path: fields.resource, group: fields.group, version: fields.version, kind: fields.kind },
    selectable: [],
    rules: {
      createDrops: [],
      updateKeeps: [],
      createOnUpdate: false,
      unconditionalUpdate: true,
      defaultPropagation: "background",
      deleteReturns: "Status",
    },
    subresources: [],
    behaviours: [],
    load: () => Promise.reject(new Error("discovery loads no kind")),
    ...fields,
  }
}

const gadget = kind({ group: "example.com", version: "v1", kind: "Gadget", resource: "gadgets" })

function discoveryOf(kinds: KindTable): Discovery {
  return new Discovery({ vendor, kinds, body: bodyLoader(bodies, vendor) })
}

const json = { media: "json", indented: false } as const

describe("Discovery", () => {
  it("reports a kind that was added after the first request", async () => {
    const kinds = new KindTable([gadget])
    const discovery = discoveryOf(kinds)
    const before = await discovery.aggregated("groups", { ...json, version: "v2" })
    expect(await discovery.aggregated("groups", { ...json, version: "v2" })).toBe(before)
    kinds.add(kind({ group: "example.com", version: "v2", kind: "Gadget", resource: "gadgets" }))
    const after = await discovery.aggregated("groups", { ...json, version: "v2" })
    expect(after.tag).not.toBe(before.tag)
    const group = await discovery.document({ at: "group", group: "example.com" }, { ...json, serverAddress: "" })
    expect(JSON.parse(String(group?.bytes))).toMatchObject({
      versions: [{ version: "v2" }, { version: "v1" }],
      preferredVersion: { groupVersion: "example.com/v2" },
    })
  })

  it("has no document for versions and groups that are not served", async () => {
    const discovery = discoveryOf(new KindTable([gadget]))
    expect(await discovery.document({ at: "version", group: "example.com", version: "v2" }, { ...json, serverAddress: "" })).toBeUndefined()
    expect(await discovery.document({ at: "group", group: "other" }, { ...json, serverAddress: "" })).toBeUndefined()
  })

  it("reports to each client the address that it used", async () => {
    const discovery = discoveryOf(new KindTable([gadget]))
    for (const serverAddress of ["127.0.0.1:1", "10.0.0.1:2"]) {
      const document = await discovery.document({ at: "core" }, { ...json, serverAddress })
      expect(JSON.parse(String(document?.bytes)).serverAddressByClientCIDRs).toEqual([{ clientCIDR: "0.0.0.0/0", serverAddress }])
    }
  })

  it("writes the aggregated document in protobuf", async () => {
    const discovery = discoveryOf(new KindTable([gadget]))
    const { bytes } = await discovery.aggregated("groups", { media: "compact", indented: false, version: "v2" })
    const { apiVersion, raw } = unwrapUnknown(bytes)
    expect(apiVersion).toBe("apidiscovery.k8s.io/v2")
    expect(createProtobufCodec(groupDiscoveryListShape(partialObjectMetadataShape)).decode(raw)).toMatchObject({
      items: [
        {
          metadata: { name: "example.com" },
          versions: [{ version: "v1", freshness: "Current", resources: [{ resource: "gadgets", responseKind: { kind: "Gadget" } }] }],
        },
      ],
    })
  })
})

describe("apiResourceList", () => {
  it("lists sub-resources after their parents, with the group of another kind, and no hash for kinds that are not stored", () => {
    const kinds = [
      kind({ group: "", version: "v1", kind: "Zoo", resource: "zoos", namespaced: false, verbs: ["create"] }),
      kind({
        group: "",
        version: "v1",
        kind: "Ape",
        resource: "apes",
        subresources: [
          { name: "status", type: "status", verbs: ["update", "get"] },
          {
            name: "eviction",
            type: "behaviour",
            behaviour: "eviction",
            verbs: ["create"],
            kind: { group: "policy", version: "v1", kind: "Eviction" },
          },
          {
            name: "binding",
            type: "behaviour",
            behaviour: "binding",
            verbs: ["create"],
            kind: { group: "", version: "v1", kind: "Binding" },
          },
        ],
      }),
    ]
    const [core] = servedGroups(kinds)
    const [version] = core?.versions ?? []
    expect(version === undefined ? undefined : apiResourceList(version, vendor).resources).toEqual([
      {
        name: "apes",
        singularName: "ape",
        namespaced: true,
        kind: "Ape",
        verbs: ["create", "delete", "get", "list"],
        storageVersionHash: expect.any(String),
      },
      { name: "apes/binding", singularName: "", namespaced: true, kind: "Binding", verbs: ["create"] },
      { name: "apes/eviction", singularName: "", namespaced: true, group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
      { name: "apes/status", singularName: "", namespaced: true, kind: "Ape", verbs: ["get", "update"] },
      { name: "zoos", singularName: "zoo", namespaced: false, kind: "Zoo", verbs: ["create"] },
    ])
  })
})

describe("aggregatedForm", () => {
  const v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

  it("is requested by any clause that can be satisfied", () => {
    expect(aggregatedForm(`application/json, ${v2}`, { vendor })?.version).toBe("v2")
    expect(aggregatedForm(v2.replace("v=v2", "v=v2beta1"), { vendor })?.version).toBe("v2beta1")
    expect(aggregatedForm(`${v2.replace("v=v2", "v=v9")},${v2}`, { vendor })?.version).toBe("v2")
  })

  it("is not requested otherwise", () => {
    expect(aggregatedForm(undefined, { vendor })).toBeUndefined()
    expect(aggregatedForm("application/json", { vendor })).toBeUndefined()
    expect(aggregatedForm(v2.replace("v=v2", "v=v9"), { vendor })).toBeUndefined()
    expect(aggregatedForm(v2, { vendor: vendorProfile("orch") })).toBeUndefined()
  })
})
