/** Updates whose object another request removes, replaces or changes after they have read it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import type { ApiObject, ObjectMeta } from "../base/json.ts"
import { type UpdateRequest, updateObject } from "./update.ts"

describe("a PUT that names a version", () => {
  const [resource, path] = ["configmaps", "n/a"]
  const made: ApiObject = { metadata: { name: "a", namespace: "n" }, data: { k: "v" } }
  let opened: OpenRegistry
  let sent: ObjectMeta

  beforeEach(async () => {
    opened = await openRegistry()
    sent = (await opened.create(resource, made)).metadata ?? {}
  })
  afterEach(() => opened.close())

  /** Sends `metadata` after the server has read the object; before the write is stored, `other` happens. */
  async function outrun(metadata: ObjectMeta, other: () => Promise<unknown>): Promise<unknown> {
    const handle = await opened.handle(resource)
    let reads = 0
    const request: UpdateRequest = {
      attributes: writeAttributes("UPDATE", handle, { namespace: "n", name: "a" }),
      async transform() {
        reads++
        if (reads === 1) await other()
        return { kind: "ConfigMap", apiVersion: "v1", metadata: { ...metadata }, data: { k: "w" } }
      },
      put: true,
      creation: { by: "put", authorize: () => undefined },
    }
    return updateObject(opened.registry, handle, request).catch((error: unknown) => error)
  }

  const remove = (): Promise<unknown> => opened.remove(resource, path)

  it("is told that the object with its uid is gone", async () => {
    const text = `Precondition failed: UID in precondition: ${sent.uid}, UID in object meta: $`
    expect(await outrun(sent, remove)).toMatchObject({ code: 409, message: expect.stringMatching(text) })
  })

  it("is answered with 404 if it names no uid", async () => {
    const { uid: _uid, ...others } = sent
    expect(await outrun(others, remove)).toMatchObject({ code: 404 })
  })

  it("is told the uid of the object that has the name now", async () => {
    let recreated: ObjectMeta | undefined
    const error = await outrun(sent, async () => {
      await remove()
      recreated = (await opened.create(resource, made)).metadata
    })
    const text = `UID in precondition: ${sent.uid}, UID in object meta: ${recreated?.uid}$`
    expect(error).toMatchObject({ code: 409, message: expect.stringMatching(text) })
    expect(await opened.get(resource, path)).toMatchObject({ metadata: { uid: recreated?.uid }, data: { k: "v" } })
  })

  it("is told that the object was changed if it was", async () => {
    const change = (): Promise<unknown> => opened.update(resource, path, (old) => ({ ...old, data: { k: "x" } }))
    expect(await outrun(sent, change)).toMatchObject({ code: 409, message: expect.stringMatching("the object has been modified; ") })
    expect(await opened.get(resource, path)).toMatchObject({ data: { k: "x" } })
  })
})
