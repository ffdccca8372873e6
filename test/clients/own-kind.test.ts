/** A user's own kind, without a change to this repository: scaffolded, generated and served from the user's folder. */
import { readdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { unwrapUnknown, wrapUnknown } from "../../runtime/encoding/protobuf/codec.ts"
import type { HttpAnswer, HttpClient } from "../support/http-client.ts"
import { openApiFaults } from "../support/validate-openapi.ts"
import { runCommand } from "./command.ts"
import { kubectlMissing, kubectlSuite, kubectlWith, tableOf } from "./kubectl.ts"
import { freePort, programArguments, type ServerProcess, startServerProcess } from "./server-process.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const kettles = "/apis/kitchen.example.com/v1/namespaces/default/kettles"
const compact = "application/vnd.kubernetes.protobuf"

describe("a kind of one's own", { timeout: 60_000 }, () => {
  let folder: string
  let server: ServerProcess
  let client: HttpClient
  let before: string[]

  beforeAll(async () => {
    before = filesOfRepository()
    folder = await mkdtemp(join(tmpdir(), "own-kind-"))
    await program("new", "kitchen.example.com/v1", "Kettle", "--schemas", join(folder, "schemas"))
    await program("gen", "--schemas", join(folder, "schemas"), "--out", join(folder, "generated"))
    const flags = ["--vendor=kubernetes", `--api=${join(folder, "generated")}`]
    server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort(), flags })
    client = server.connect()
  }, 60_000)
  afterAll(async () => {
    client.close()
    await server.process.end()
    await rm(folder, { recursive: true })
  })

  async function program(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runCommand(process.execPath, programArguments(...args), { cwd: repository })
    expect(stderr, args.join(" ")).toBe("")
    expect(code, args.join(" ")).toBe(0)
    return stdout
  }

  interface Ask {
    readonly body?: unknown
    readonly accept?: string
    readonly type?: string
  }

  function send(
    method: string,
    path: string,
    { body, accept = "application/json", type = "application/json" }: Ask = {},
  ): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${server.token}`, accept, ...(body !== undefined && { "content-type": type }) }
    return client.send({
      method,
      path,
      headers,
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) }),
    })
  }

  async function json(method: string, path: string, ask?: Ask): Promise<unknown> {
    return JSON.parse((await send(method, path, ask)).body.toString())
  }

  function kettle(name: string, spec: object, labels: object = {}): object {
    return { apiVersion: "kitchen.example.com/v1", kind: "Kettle", metadata: { name, labels }, spec }
  }

  it("is served with its defaults, and refused with the reason", async () => {
    expect(await json("POST", kettles, { body: kettle("plain", {}) })).toMatchObject({
      metadata: { generation: 1, uid: expect.any(String) },
      spec: { replicas: 1, mode: "Manual" },
    })
    const refused = await json("POST", kettles, { body: kettle("wrong", { replicas: 9, maxReplicas: 5, mode: "Magic" }) })
    expect(refused).toMatchObject({
      code: 422,
      reason: "Invalid",
      details: {
        group: "kitchen.example.com",
        kind: "Kettle",
        causes: [
          {
            reason: "FieldValueNotSupported",
            field: "spec.mode",
            message: 'Unsupported value: "Magic": supported values: "Automatic", "Manual"',
          },
          { reason: "FieldValueInvalid", field: "spec.replicas", message: "Invalid value: 9: must not be more than maxReplicas, 5" },
        ],
      },
    })
    expect(await json("POST", `${kettles}?fieldValidation=Strict`, { body: kettle("odd", { litres: 2 }) })).toMatchObject({
      code: 400,
      message: expect.stringContaining('unknown field "spec.litres"'),
    })
  })

  it("has a status that only its own path writes, and selectors that read it", async () => {
    await json("POST", kettles, { body: { ...kettle("hot", {}, { room: "kitchen" }), status: { phase: "Boiling" } } })
    const made = await json("GET", `${kettles}/hot`)
    expect(made).toMatchObject({ status: {} })
    const reported = await json("PATCH", `${kettles}/hot/status`, {
      body: { spec: { replicas: 7 }, status: { phase: "Boiling", observedGeneration: 1 } },
      type: "application/merge-patch+json",
    })
    expect(reported).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { phase: "Boiling" } })
    for (const query of ["fieldSelector=status.phase%3DBoiling", "labelSelector=room%3Dkitchen"]) {
      expect(await json("GET", `${kettles}?${query}`), query).toMatchObject({ kind: "KettleList", items: [{ metadata: { name: "hot" } }] })
    }
    expect(await json("GET", `${kettles}?fieldSelector=spec.mode%3DManual`)).toMatchObject({
      code: 400,
      message: expect.stringContaining("field label not supported: spec.mode"),
    })
  })

  it("is shown as a table", async () => {
    await json("POST", kettles, { body: kettle("shown", { replicas: 3 }) })
    const table = await json("GET", `${kettles}?fieldSelector=metadata.name%3Dshown`, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    })
    expect(table).toMatchObject({
      columnDefinitions: [{ name: "Name" }, { name: "Replicas" }, { name: "Phase" }, { name: "Age" }],
      rows: [{ cells: ["shown", 3, "Pending", expect.stringMatching(/^\d+s$/)] }],
    })
  })

  it("is read and written in the compact form", async () => {
    await json("POST", kettles, { body: kettle("packed", { replicas: 2, maxReplicas: 4 }) })
    const read = await send("GET", `${kettles}/packed`, { accept: compact })
    expect(read.headers["content-type"]).toBe(compact)
    const { apiVersion, kind, raw } = unwrapUnknown(read.body)
    expect({ apiVersion, kind }).toEqual({ apiVersion: "kitchen.example.com/v1", kind: "Kettle" })
    const written = await json("PUT", `${kettles}/packed`, { body: wrapUnknown({ apiVersion, kind, raw }), type: compact })
    expect(written).toEqual(await json("GET", `${kettles}/packed`))
    expect(written).toMatchObject({ spec: { replicas: 2, maxReplicas: 4, mode: "Manual" } })
  })

  it("is in discovery and in the published documents, beside the built-in kinds", async () => {
    expect(await json("GET", "/apis/kitchen.example.com/v1")).toMatchObject({
      resources: [{ name: "kettles", kind: "Kettle", namespaced: true }, { name: "kettles/status" }],
    })
    for (const [path, kinds] of [
      ["/openapi/v2", ["Kettle", "Deployment"]],
      ["/openapi/v3/apis/kitchen.example.com/v1", ["Kettle"]],
    ] as const) {
      const document = JSON.parse((await send("GET", path)).body.toString())
      expect(await openApiFaults(document), path).toBeUndefined()
      const names = Object.keys(document.definitions ?? document.components.schemas)
      for (const kind of kinds)
        expect(
          names.some((name) => name.endsWith(`.v1.${kind}`)),
          `${path} ${kind}`,
        ).toBe(true)
    }
  })

  it("is watched", async () => {
    const watch = await client.open({
      method: "GET",
      path: `${kettles}?watch=true&fieldSelector=metadata.name%3Dseen`,
      headers: { authorization: `Bearer ${server.token}` },
    })
    await json("POST", kettles, { body: kettle("seen", {}) })
    await json("DELETE", `${kettles}/seen`)
    let text = ""
    for await (const chunk of watch.body) {
      text += chunk
      if (text.includes("DELETED")) break
    }
    watch.destroy()
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["ADDED", "DELETED"])
  })

  it("leaves the repository unchanged", () => expect(filesOfRepository()).toEqual(before))

  describe.skipIf(kubectlMissing)(kubectlSuite("to kubectl"), () => {
    it("is a kind like any other", async () => {
      const kubectl = kubectlWith({ kubeconfig: server.kubeconfigFile, home: join(folder, "home") })
      const { stdout } = await kubectl.attempt(["apply", "-f", "-"], { input: JSON.stringify(kettle("applied", { replicas: 2 })) })
      expect(stdout).toBe("kettle.kitchen.example.com/applied created\n")
      expect(tableOf(await kubectl("get", "kettles", "applied"))).toEqual([
        ["NAME", "REPLICAS", "PHASE", "AGE"],
        ["applied", "2", "Pending", expect.stringMatching(/^\d+s$/)],
      ])
      expect(await kubectl("explain", "kettle.spec.mode")).toContain("Who changes the number.")
      expect(await kubectl("patch", "kettle", "applied", "--type=merge", "-p", '{"spec":{"mode":"Automatic"}}')).toBe(
        "kettle.kitchen.example.com/applied patched\n",
      )
      expect(await kubectl("describe", "kettle", "applied")).toMatch(/Mode: +Automatic/)
      expect(await kubectl("delete", "kettle", "applied")).toContain('kettle.kitchen.example.com "applied" deleted')
    })
  })
})

/** Where generated code and schemas would be if they were written to the repository. */
function filesOfRepository(): string[] {
  return ["generated", "schemas", "runtime/behaviours"].flatMap((root) =>
    readdirSync(join(repository, root), { recursive: true, encoding: "utf8" }).map((path) => `${root}/${path}`),
  )
}
