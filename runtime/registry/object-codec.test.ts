import fc from "fast-check"
import { expect, test } from "vitest"
import { openRegistry } from "../../test/support/open-registry.ts"
import type { ObjectMeta, OwnerReference } from "../base/json.ts"
import { parseObject } from "./object-codec.ts"

const owners: OwnerReference[] = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }]
const metadataOf = fc.record(
  {
    name: fc.constantFrom("a", "ownerReferences"),
    labels: fc.dictionary(fc.constantFrom("deletionTimestamp", "app"), fc.string({ maxLength: 5 }), { maxKeys: 2 }),
    deletionTimestamp: fc.constant("2026-01-01T00:00:00Z"),
    ownerReferences: fc.constant(owners),
    finalizers: fc.constant<string[]>(["example.com/one"]),
  },
  { requiredKeys: ["name"] },
)

test("labels and absent metadata are found in the stored bytes without decoding", async () => {
  const { handle, close } = await openRegistry()
  const { codec, compact } = await handle("configmaps")
  fc.assert(
    fc.property(metadataOf, (metadata: ObjectMeta) => {
      const { value } = codec.encode({ kind: "ConfigMap", apiVersion: "v1", metadata })
      for (const name of ["ownerReferences", "deletionTimestamp"] as const)
        expect(codec.mayHaveMetadata?.(value, [name])).toBe(metadata[name] !== undefined)
      expect(codec.labels?.(value)).toEqual(metadata.labels ?? {})
      const stored = { key: "", value, createRevision: 1, modRevision: 4711 }
      expect(codec.toMessage?.(stored)).toEqual(compact.encode(parseObject(Buffer.from(codec.toJson(stored)))))
    }),
  )
  await close()
})

test("the text of a removed pod takes the fields behind its metadata from the stored one", async () => {
  const { handle, close } = await openRegistry()
  const { codec } = await handle("pods")
  const awkward = fc.constantFrom("spec", '},"spec":{', '"},"spec":{"', "é")
  const strings = fc.dictionary(awkward, awkward, { maxKeys: 3 })
  const metadata = fc.record({ name: fc.constant("a"), uid: awkward, labels: strings, annotations: strings }, { requiredKeys: ["name"] })
  const fieldsV1 = { "f:spec": { "f:nodeName": {} } }
  const managed = fc.constantFrom<Pick<ObjectMeta, "managedFields">>({}, { managedFields: [{ manager: "m", fieldsV1 }] })
  fc.assert(
    fc.property(metadata, metadata, managed, awkward, (before: ObjectMeta, after: ObjectMeta, managers, message) => {
      const rest = { spec: { nodeName: message }, status: { message } }
      const head = { kind: "Pod", apiVersion: "v1" }
      const stored = codec.encode({ ...head, metadata: { ...before, ...managers }, ...structuredClone(rest) }).json(7)
      const removed = { ...head, metadata: { ...after, resourceVersion: "8", deletionGracePeriodSeconds: 0, ...managers }, ...rest }
      expect(codec.text(removed, stored).toString()).toBe(JSON.stringify(removed))
      expect(codec.text(removed).toString()).toBe(JSON.stringify(removed))
    }),
  )
  const bare = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", resourceVersion: "8" }, status: { message: "m" } }
  const stored = Buffer.from(JSON.stringify({ ...bare, metadata: { name: "a", resourceVersion: "7" } }))
  expect(codec.text(bare, stored).toString()).toBe(JSON.stringify(bare))
  await close()
})

test("malformed bytes are left to the decoder", async () => {
  const { handle, close } = await openRegistry()
  const { codec } = await handle("configmaps")
  const { value } = codec.encode({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } })
  expect(codec.mayHaveMetadata?.(value, ["ownerReferences"])).toBe(false)
  expect(codec.labels?.(value.subarray(0, value.length / 2))).toBeUndefined()
  expect(codec.mayHaveMetadata?.(value.subarray(0, value.length / 2), ["ownerReferences"])).toBe(true)
  expect(codec.mayHaveMetadata?.(Buffer.from('{"metadata":{"ownerReferences":[]}}'), ["ownerReferences"])).toBe(true)
  expect(codec.mayHaveMetadata?.(Buffer.from('{"metadata":{"name":"a"}}'), ["ownerReferences"])).toBe(false)
  await close()
})

test("JSON that another program stored is decoded by the shape, so that behaviours find every struct", async () => {
  const { handle, close } = await openRegistry()
  const { codec } = await handle("pods")
  const stored = (object: object) => ({ key: "", value: Buffer.from(JSON.stringify(object)), createRevision: 1, modRevision: 7 })
  const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } }
  expect(JSON.parse(codec.toJson(stored(pod)))).toMatchObject({
    metadata: { name: "a", resourceVersion: "7" },
    spec: { containers: [{ name: "c", resources: {} }] },
    status: {},
  })
  const whole = codec.encode(parseObject(Buffer.from(codec.toJson(stored(pod)))))
  expect(codec.toJson(stored(JSON.parse(whole.json(7).toString())))).toBe(whole.json(7).toString())
  await close()
})
