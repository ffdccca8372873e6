/** A program that starts and stops servers, as others' tests do, keeps nothing of the stopped servers. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemClock } from "../runtime/base/clock.ts"
import { systemRandom } from "../runtime/base/random.ts"
import { launch } from "../runtime/launch/launch.ts"
import { type LibraryOptions, libraryStart } from "../runtime/launch/library-options.ts"
import { errorLog } from "../runtime/launch/logging.ts"
import { livesReachable } from "./support/heap.ts"
import { createHttpClient, type Protocol } from "./support/http-client.ts"

const servers = 4
let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "stopped-servers-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "cups.stopped.example.com" },
  spec: {
    group: "stopped.example.com",
    scope: "Namespaced",
    names: { plural: "cups", singular: "cup", kind: "Cup", listKind: "CupList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer" } }, "x-kubernetes-validations": [{ rule: "self.size > 0" }] },
            },
          },
        },
      },
    ],
  },
}

/** Starts a server, uses it, stops it, and returns its parts. */
async function life(options: LibraryOptions, protocol: Protocol): Promise<readonly WeakRef<object>[]> {
  const start = libraryStart({ ...options, vendor: "kubernetes" })
  const { server, authority, token } = await launch({ ...start, token: true, clock: systemClock, random: systemRandom, log: errorLog() })
  const client = createHttpClient({ protocol, port: server.port, authority })
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const status = async (method: string, path: string, body?: object): Promise<number> => {
    const answer = await client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) })
    return answer.status
  }
  const watch = await client.open({ method: "GET", path: "/api/v1/configmaps?watch=true", headers })
  watch.body.on("error", () => undefined).resume()
  const configMaps = "/api/v1/namespaces/default/configmaps"
  expect(await status("POST", configMaps, { metadata: { name: "a" }, data: { key: "value" } })).toBe(201)
  expect(await status("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)).toBe(201)
  expect(await status("GET", `${configMaps}?limit=1`)).toBe(200)
  expect(await status("GET", "/metrics")).toBe(200)
  expect(await status("DELETE", `${configMaps}/a`)).toBe(200)
  client.close()
  await server.stop()
  return [server, server.cache, server.parts, server.parts.registry, server.parts.kinds].map((part) => new WeakRef(part))
}

describe.each<{ name: string; options: () => LibraryOptions; protocol: Protocol }>([
  { name: "in memory, with roles, over HTTP/1.1", options: () => ({ "authorization-mode": ["Node", "RBAC"] }), protocol: "http1" },
  { name: "in a folder", options: () => ({ "data-dir": mkdtempSync(join(dir, "data-")) }), protocol: "http2" },
])("servers $name", ({ options, protocol }) => {
  it("are collected once they have stopped", { timeout: 120_000 }, async () => {
    const lives: (readonly WeakRef<object>[])[] = []
    for (let count = 0; count < servers; count++) lives.push(await life(options(), protocol))
    // The library of the ordered map keeps the pair that it returned last, and with it the parts of one server.
    const kept = await livesReachable(lives, 1)
    expect(kept.length).toBeLessThan(2)
  })
})
