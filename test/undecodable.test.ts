/**
 * A stored value that cannot be decoded: errors name it, the server serves other objects, and an administrator can
 * remove it.
 */
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { createHttpClient, type HttpAnswer, type HttpClient, readAll } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const key = "/registry/configmaps/default/broken"
const configMaps = "/api/v1/namespaces/default/configmaps"
const help = "ignoreStoreReadErrorWithClusterBreakingPotential=true"

let at: InProcess
let client: HttpClient

beforeEach(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  const { stop } = at
  onTestFinished(stop)
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  onTestFinished(() => client.close())
  for (const name of ["a", "z"]) await ask("POST", configMaps, { metadata: { name, labels: { in: "yes" } } })
})

function ask(method: string, path: string, object?: object): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${at.token}`, ...(object !== undefined && { "content-type": "application/json" }) }
  return client.send({ method, path, headers, ...(object !== undefined && { body: Buffer.from(JSON.stringify(object)) }) })
}

/** Breaks a stored value, as another program or a corrupt disk would. */
async function breakOne(value: Buffer): Promise<void> {
  const result = await at.store.commit({ checks: [], writes: [{ type: "put", key, value }] })
  expect(result.ok).toBe(true)
}

const status = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status

it.each([
  ["no format at all", Buffer.from("\u0001garbage")],
  ["an envelope with something else in it", Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x12, 0x05, 1, 2, 3])])],
])("%s is encountered by an existing label index", async (_what, value) => {
  // Creates the index, which is maintained from now on.
  expect(await status("GET", `${configMaps}?labelSelector=in%3Dyes`)).toBe(200)
  await breakOne(value)
  await vi.waitFor(() => expect(at.log.join("")).toContain(`a stored value cannot be read`))
  expect(at.log.filter((line) => line.includes(`storedAt=${key} `))).toHaveLength(1)
  for (const path of [
    configMaps,
    `${configMaps}?limit=1`,
    `${configMaps}?labelSelector=in%3Dyes`,
    `${configMaps}?labelSelector=%21in`,
    "/api/v1/configmaps",
  ]) {
    const list = await ask("GET", path)
    expect([path, list.status, JSON.parse(list.body.toString())]).toEqual([
      path,
      500,
      expect.objectContaining({ reason: "InternalError", message: expect.stringContaining(`the stored value of ${key} (version `) }),
    ])
  }
  expect(await status("GET", `${configMaps}/a`)).toBe(200)
  expect(await status("PUT", `${configMaps}/z`, { metadata: { name: "z" }, data: { still: "written" } })).toBe(200)
  expect(await status("GET", "/api/v1/namespaces/kube-system/configmaps")).toBe(200)
  expect(await status("GET", "/api/v1/pods")).toBe(200)
})

it("is named by get, refused by update, and ends the watches that reach it", async () => {
  const watch = await client.open({ method: "GET", path: `${configMaps}?watch=true`, headers: { authorization: `Bearer ${at.token}` } })
  await breakOne(Buffer.from("\u0001garbage"))
  expect((await readAll(watch.body)).toString()).toMatch(new RegExp(`"type":"ERROR".*${key}`))
  for (const [method, object] of [["GET"], ["PUT", { metadata: { name: "broken" } }], ["DELETE"]] as const) {
    const answer = await ask(method, `${configMaps}/broken`, object)
    expect([method, answer.status, answer.body.toString()]).toEqual([method, 500, expect.stringContaining(key)])
    expect(answer.body.toString()).toContain(help)
  }
})

it("is shown by /readyz?verbose to authorized users, and does not make the server unready", async () => {
  await breakOne(Buffer.from("\u0001garbage"))
  expect(await status("GET", `${configMaps}/broken`)).toBe(500)
  const ready = await ask("GET", "/readyz?verbose")
  expect([ready.status, ready.body.toString()]).toEqual([200, expect.stringContaining(`\nwarn: the stored value of ${key} (version `)])
  const stranger = await client.send({ method: "GET", path: "/readyz?verbose", headers: {} })
  expect([stranger.status, stranger.body.toString()]).toEqual([401, expect.not.stringContaining("broken")])
})

it("is removed by a client that accepts its loss, and everything works again", async () => {
  await breakOne(Buffer.from("\u0001garbage"))
  expect(await status("GET", configMaps)).toBe(500)
  expect(await status("DELETE", `${configMaps}/broken?${help}&dryRun=All`)).toBe(200)
  expect(await status("DELETE", `${configMaps}/broken?${help}`, { preconditions: { uid: "another" } })).toBe(409)
  expect(await status("GET", `${configMaps}/broken`)).toBe(500)
  expect(await status("DELETE", `${configMaps}/broken?${help}`)).toBe(200)
  expect(await status("GET", `${configMaps}/broken`)).toBe(404)
  expect(await status("GET", configMaps)).toBe(200)
  expect((await ask("GET", "/readyz?verbose")).body.toString()).not.toContain("warn:")
  // Readable objects are deleted as usual: finalizers hold them.
  await ask("POST", configMaps, { metadata: { name: "held", finalizers: ["example.com/held"] } })
  expect(await status("DELETE", `${configMaps}/held?${help}`)).toBe(200)
  expect(await status("GET", `${configMaps}/held`)).toBe(200)
})

it("does not stop the collector from processing others", async () => {
  await breakOne(Buffer.from("\u0001garbage"))
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "11111111-1111-1111-1111-111111111111" }
  await ask("POST", configMaps, { metadata: { name: "dependent", ownerReferences: [reference] } })
  await vi.waitFor(async () => expect(await status("GET", `${configMaps}/dependent`)).toBe(404))
})
