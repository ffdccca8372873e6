/** The deletion of a definition while something blocks it. */
import { afterEach, describe, expect, it, vi } from "vitest"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import type { ObjectClient } from "../runtime/schema/object-client.ts"
import { gate } from "./support/gate.ts"
import { type InProcess, type InProcessOptions, startInProcess } from "./support/in-process.ts"
import { definition, definitions, kettle, kettles, name } from "./support/kettles.ts"

let at: InProcess | undefined
afterEach(() => at?.stop())

async function start(options: Partial<InProcessOptions> = {}): Promise<ObjectClient> {
  at = await startInProcess({ store: "memory", vendor: "orch", ...options })
  return inProcessClient(at.server.parts, { name: "admin", groups: ["system:masters"], extra: {} })
}

const eventually = <Result>(ask: () => Result | Promise<Result>): Promise<Result> => vi.waitFor(ask, { timeout: 8_000, interval: 5 })
describe("a definition that is deleted", () => {
  it("goes, although its names were being accepted at that moment", async () => {
    const [reached, proceed] = [gate(), gate()]
    const client = await start({
      admission: [
        {
          name: "Pausing",
          operations: ["UPDATE"],
          async validate({ resource, subresource }) {
            if (resource.resource !== "customresourcedefinitions" || subresource !== "status") return
            reached.resolve()
            await proceed.promise
          },
        },
      ],
    })
    await client.create(definitions, definition())
    await reached.promise
    await client.delete({ ...definitions, name })
    proceed.resolve()
    await eventually(() => expect(client.get({ ...definitions, name })).rejects.toMatchObject({ code: 404 }))
  })

  it("is looked at again after a second while finalizers hold its objects", async () => {
    const client = await start()
    await client.create(definitions, definition())
    await eventually(() => client.list(kettles))
    await client.create(kettles, { ...kettle(), metadata: { name: "one", finalizers: ["example.com/held"] } })
    await client.delete({ ...definitions, name })
    await eventually(async () => expect(JSON.stringify(await client.get({ ...definitions, name }))).toContain("held by finalizers"))
    await client.patch({ ...kettles, name: "one" }, { metadata: { finalizers: null } })
    await eventually(() => expect(client.get({ ...kettles, name: "one" })).rejects.toMatchObject({ code: 404 }))
    await eventually(async () => {
      at?.clock.advance(1000)
      await expect(client.get({ ...definitions, name })).rejects.toMatchObject({ code: 404 })
    })
  })
})
