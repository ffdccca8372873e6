/** The audit log and the store: the log has a change first. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { readPolicy } from "../runtime/audit/read-policy.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import { createHttpClient, type HttpAnswer } from "./support/http-client.ts"
import { startInProcess } from "./support/in-process.ts"

const maps = "/api/v1/namespaces/default/configmaps"
const map = (name: string): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } })

describe("no change is in the store before the event that announces it is in the log", () => {
  const asked = [
    ["a create", "POST", maps, map("b")],
    ["an update", "PUT", `${maps}/a`, { ...map("a"), data: { other: "text" } }],
    ["a patch", "PATCH", `${maps}/a`, { data: { more: "of it" } }],
    ["a delete", "DELETE", `${maps}/a`, undefined],
    ["a delete of a collection", "DELETE", maps, undefined],
  ] as const

  it.each(asked)("%s", async (_what, method, path, body) => {
    const folder = mkdtempSync(join(tmpdir(), "audit-"))
    const log = join(folder, "audit.log")
    const logged: string[] = []
    const { port, authority, token, stop } = await startInProcess({
      store: "memory",
      vendor: "kubernetes",
      audit: {
        log,
        policy: readPolicy("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]", vendorProfile("kubernetes")).policy,
      },
      wrapStore: (store) => {
        const watch = store.watch.bind(store)
        store.watch = (options) =>
          watch({
            ...options,
            onEvents(events, revision) {
              if (events.length > 0) logged.push(readFileSync(log, "utf8"))
              options.onEvents(events, revision)
            },
          })
        return store
      },
    })
    const client = createHttpClient({ protocol: "http2", port, authority })
    onTestFinished(async () => {
      client.close()
      await stop()
      rmSync(folder, { recursive: true })
    })
    const send = (id: string, how: { method: string; path: string; body?: object }): Promise<HttpAnswer> => {
      const type = how.method === "PATCH" ? "application/merge-patch+json" : "application/json"
      return client.send({
        method: how.method,
        path: how.path,
        headers: { authorization: `Bearer ${token}`, "content-type": type, "audit-id": id },
        ...(how.body !== undefined && { body: Buffer.from(JSON.stringify(how.body)) }),
      })
    }
    expect((await send("first", { method: "POST", path: maps, body: map("a") })).status).toBe(201)
    logged.length = 0
    expect((await send("second", { method, path, ...(body !== undefined && { body }) })).status).toBeLessThan(300)
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.filter((text) => !/"auditID":"second","stage":"RequestReceived"/.test(text))).toEqual([])
  })
})
