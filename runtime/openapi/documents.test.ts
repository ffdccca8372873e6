import { expect, it } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { KindTable } from "../registry/kinds.ts"
import { OpenApiDocuments } from "./documents.ts"

function documentsOf(texts: Record<string, () => Promise<Buffer>>): OpenApiDocuments {
  return new OpenApiDocuments({ vendor: vendorProfile("kubernetes"), openapi: new Map(Object.entries(texts)), kinds: new KindTable([]) })
}

it("reads a document on first request, once, by its wire name", async () => {
  let reads = 0
  const documents = documentsOf({
    "v3/apis/events.orch.io/v1": async () => {
      reads++
      return Buffer.from('{"x-orch-a":1}')
    },
  })
  expect(documents.document("v3/apis/events.orch.io/v1")).toBeUndefined()
  expect(reads).toBe(0)
  const document = await documents.document("v3/apis/events.k8s.io/v1")
  await documents.index()
  expect(String(await document?.bytes())).toBe('{"x-kubernetes-a":1}')
  expect(reads).toBe(1)
})

it("reads again after a failed read", async () => {
  let failing = true
  const documents = documentsOf({ v2: async () => (failing ? Promise.reject(new Error("the disk is away")) : Buffer.from("{}")) })
  await expect(documents.document("v2")).rejects.toThrow("the disk is away")
  failing = false
  expect(String(await (await documents.document("v2"))?.bytes())).toBe("{}")
})

it("gives each document an address that changes with its content", async () => {
  const [one, other] = await Promise.all(["{}", "[]"].map((text) => documentsOf({ "v3/api/v1": async () => Buffer.from(text) }).index()))
  expect(one?.hash).not.toBe(other?.hash)
  expect(JSON.parse(String(await one?.bytes())).paths["api/v1"].serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/)
})

it("has the same hash for every form of v2", async () => {
  const documents = documentsOf({ v2: async () => Buffer.from('{"swagger":"2.0"}') })
  const compact = await documents.compact("v2")
  expect(compact?.hash).toBe((await documents.document("v2"))?.hash)
  expect([...((await compact?.bytes()) ?? [])]).toEqual([0x0a, 3, ...Buffer.from("2.0")])
})
