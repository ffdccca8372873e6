import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { createProtobufCodec } from "../encoding/protobuf/codec.ts"
import type { ApiObject } from "../base/json.ts"
import { stringify } from "../encoding/json/text.ts"
import type { KindHandle } from "../registry/registry.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { CachedObject } from "../storage/cache.ts"
import { vendorProfile } from "../base/vendor.ts"
import { partialShape, renderPartial } from "../wire/table.ts"
import type { ResponseFormat } from "./call.ts"
import { partialJson, partialMessage, type RenderedRequest } from "./render.ts"

let at: OpenRegistry
beforeEach(async () => {
  at = await openRegistry()
})
afterEach(() => at.close())

const vendor = vendorProfile("orch")
const format: ResponseFormat = {
  media: "json",
  contentType: "application/json",
  as: { kind: "PartialObjectMetadataList", group: "meta.k8s.io", version: "v1" },
  stream: false,
  pretty: false,
  indented: false,
  gzip: false,
}

/** Creates an object. `fresh`: as this server caches it after the write; `read`: as another server reads it. */
async function made(resource: string, object: ApiObject): Promise<{ handle: KindHandle; fresh: CachedObject; read: CachedObject }> {
  await at.create(resource, object)
  const handle = await at.handle(resource)
  const key = handle.key(object.metadata?.namespace ?? "", object.metadata?.name ?? "")
  const [fresh, read] = [handle.cache.get(key), await storedOnly(key)]
  if (fresh === undefined || read === undefined) throw new Error("it was made")
  return { handle, fresh, read }

  async function storedOnly(of: string): Promise<CachedObject | undefined> {
    const other = await openRegistry({ store: at.store, clock: at.clock })
    const there = (await other.handle(resource)).cache.get(of)
    await other.close()
    return there
  }
}

const metadata = {
  name: "a",
  namespace: "n",
  labels: { "10": "ten", "2": "two", metadata: "labels" },
  annotations: { text: 'a "quoted" } \\ text', unicode: "\u2028 \u{1f600} \u0000" },
  finalizers: ["example.org/one"],
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
  managedFields: [
    {
      manager: "m",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": {} },
    },
  ],
}

test("partial metadata cut out of the bytes equals the encoding of the decoded object", async () => {
  const cases: readonly [string, ApiObject][] = [
    ["configmaps", { metadata, data: { metadata: "{", kind: '"metadata":{}' } }],
    ["configmaps", { metadata: { name: "bare", namespace: "n" } }],
    ["namespaces", { metadata: { name: "without" } }],
  ]
  for (const [resource, object] of cases) {
    const { handle, fresh, read } = await made(resource, object)
    // Rendering uses only these two.
    const shown = { handle, parts: { vendor } } as unknown as RenderedRequest
    const decoded = (version: CachedObject) => renderPartial(handle.fromStored(parseObject(version.json())), { vendor, version: "v1" })
    const metadataType = handle.parts.shape.fields.find(({ name }) => name === "metadata")?.type
    if (metadataType === undefined || !("ref" in metadataType)) throw new Error("a kind has metadata")
    const shape = partialShape(metadataType.ref())
    const message = createProtobufCodec(shape).encode(decoded(fresh))
    expect(read.hasJson).toBe(false)
    expect(Buffer.from(partialMessage(shown, read))).toEqual(message)
    expect(read.hasJson).toBe(false)
    expect(Buffer.from(partialMessage(shown, fresh))).toEqual(message)
    for (const version of [fresh, read]) expect(partialJson(shown, format, version).toString()).toBe(stringify(decoded(version)))
  }
})
