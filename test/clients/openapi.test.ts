/**
 * The published OpenAPI documents are valid by the specification's own schemas, and a client generated from them
 * compiles and works.
 */
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer } from "../../runtime/library.ts"
import type { VendorName } from "../../runtime/base/vendor.ts"
import { createHttpClient } from "../support/http-client.ts"
import { openApiFaults } from "../support/validate-openapi.ts"
import { type Cluster, startCluster } from "./cluster.ts"
import { runCommand } from "./command.ts"

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url))

type Read = (path: string) => Promise<Record<string, unknown>>

/** Passes the documents of a running server, by wire paths. */
async function withDocuments(server: { url: string; token: string; caPem: string }, use: (read: Read) => Promise<void>): Promise<void> {
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  await use(async (path) => {
    const { status, body } = await client.send({
      method: "GET",
      path,
      headers: { authorization: `Bearer ${server.token}`, accept: "application/json" },
    })
    expect(status, path).toBe(200)
    return JSON.parse(body.toString())
  })
  client.close()
}

/** The addresses in the index of `/openapi/v3`. */
function addressesIn({ paths }: Record<string, unknown>): string[] {
  const entries = Object.values(typeof paths === "object" && paths !== null ? paths : {})
  return entries.map(({ serverRelativeURL }: { serverRelativeURL: string }) => serverRelativeURL)
}

describe.each<VendorName>(["orch", "kubernetes"])("the documents with the names of %s", (vendor) => {
  it("are valid", { timeout: 120_000 }, async () => {
    const server = await startServer({ vendor })
    await withDocuments(server, async (read) => {
      const addresses = addressesIn(await read("/openapi/v3"))
      expect(addresses.length).toBeGreaterThan(5)
      for (const address of ["/openapi/v2", ...addresses]) {
        expect(await openApiFaults(await read(address)), address).toBeUndefined()
      }
    })
    await server.stop()
  })
})

/**
 * As a user would set `--empty-objects-unknown --default-non-nullable=false`: a patch is any object, and a field with a
 * default may be omitted in a request. The published documents say both, as the reference's do; the generator's
 * defaults differ.
 */
const generatorOptions = { silent: true, emptyObjectsUnknown: true, defaultNonNullable: false }

/** Code that uses the generated types; `client` must reject everything that the documents do not allow. */
const roundTrip = `
import createClient from "openapi-fetch"
import type { paths as AppsPaths, components as AppsComponents } from "./apps.ts"
import type { paths as CorePaths } from "./core.ts"

const options = { baseUrl: process.env.SERVER ?? "", headers: { authorization: "Bearer " + process.env.TOKEN } }
const core = createClient<CorePaths>(options)
const apps = createClient<AppsPaths>(options)

const made = await core.POST("/api/v1/namespaces/{namespace}/configmaps", {
  params: { path: { namespace: "default" }, query: { fieldValidation: "Strict" } },
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "typed" }, data: { answer: "42" } },
})
const version: string | undefined = made.data?.metadata?.resourceVersion

const deployment: AppsComponents["schemas"]["io.k8s.api.apps.v1.Deployment"] = {
  metadata: { name: "typed" },
  spec: {
    selector: { matchLabels: { app: "typed" } },
    template: { metadata: { labels: { app: "typed" } }, spec: { containers: [{ name: "web", image: "registry.example/web:1", ports: [{ containerPort: 80 }] }] } },
  },
}
const path = { namespace: "default", name: "typed" }
const deployed = await apps.POST("/apis/apps/v1/namespaces/{namespace}/deployments", { params: { path: { namespace: "default" } }, body: deployment })
const scaled = await apps.PATCH("/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale", {
  params: { path },
  body: { spec: { replicas: 4 } },
  headers: { "content-type": "application/merge-patch+json" },
})
const read = await apps.GET("/apis/apps/v1/namespaces/{namespace}/deployments/{name}", { params: { path } })
const listed = await core.GET("/api/v1/namespaces/{namespace}/configmaps", { params: { path: { namespace: "default" }, query: { fieldSelector: "metadata.name=typed", limit: 5 } } })
const deleted = await apps.DELETE("/apis/apps/v1/namespaces/{namespace}/deployments/{name}", { params: { path } })
const missing = await apps.GET("/apis/apps/v1/namespaces/{namespace}/deployments/{name}", { params: { path } })

console.log(JSON.stringify({
  version,
  deployed: deployed.response.status,
  scaled: scaled.data?.spec?.replicas,
  replicas: read.data?.spec?.replicas,
  surge: read.data?.spec?.strategy?.rollingUpdate?.maxSurge,
  answers: listed.data?.items.map((item) => item.data?.["answer"]),
  deleted: deleted.response.status,
  missing: missing.response.status,
}))
`

/** Each contains one error by the documents. */
const mistakes = {
  path: `core.GET("/api/v1/namespaces/{namespace}/nothings", { params: { path: { namespace: "default" } } })`,
  "path parameter": `core.GET("/api/v1/namespaces/{namespace}/configmaps", { params: { path: {} } })`,
  "query parameter": `core.GET("/api/v1/namespaces/{namespace}/configmaps", { params: { path: { namespace: "default" }, query: { limit: "five" } } })`,
  "field left out": `core.POST("/api/v1/namespaces/{namespace}/pods", { params: { path: { namespace: "default" } }, body: { spec: {} } })`,
  "type of a field": `core.POST("/api/v1/namespaces/{namespace}/configmaps", { params: { path: { namespace: "default" } }, body: { data: { a: 1 } } })`,
}

describe("a client generated by openapi-typescript", { timeout: 120_000 }, () => {
  let cluster: Cluster
  let folder: string

  beforeAll(async () => {
    cluster = await startCluster()
    folder = await mkdtemp(join(tmpdir(), "typed-client-"))
    await symlink(packages, join(folder, "node_modules"))
    await writeFile(join(folder, "package.json"), '{"type": "module"}')
    await writeFile(join(folder, "ca.pem"), cluster.caPem)
    await writeFile(join(folder, "round-trip.ts"), roundTrip)
    await withDocuments(cluster, async (read) => {
      for (const [name, path] of [
        ["core", "/openapi/v3/api/v1"],
        ["apps", "/openapi/v3/apis/apps/v1"],
      ] as const) {
        const document = await read(path)
        expect(isOpenApi3(document)).toBe(true)
        if (isOpenApi3(document)) await writeFile(join(folder, `${name}.ts`), astToString(await openapiTS(document, generatorOptions)))
      }
    })
  })
  afterAll(async () => {
    await cluster.remove()
    await rm(folder, { recursive: true })
  })

  async function compile(file: string): Promise<string> {
    const flags = [
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--allowImportingTsExtensions",
      "--skipLibCheck",
      "--types",
      "node",
    ]
    const { stdout } = await runCommand(process.execPath, [join(packages, "typescript/bin/tsc"), ...flags, file], { cwd: folder })
    return stdout
  }

  it("compiles, and round-trips an object", async () => {
    expect(await compile("round-trip.ts")).toBe("")
    const env = { SERVER: cluster.url, TOKEN: cluster.token, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") }
    const { stdout, stderr } = await runCommand(process.execPath, ["--import", "tsx", "round-trip.ts"], { cwd: folder, env })
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(/^\d+$/),
      deployed: 201,
      scaled: 4,
      replicas: 4,
      surge: "25%",
      answers: ["42"],
      deleted: 200,
      missing: 404,
    })
  })

  it("does not compile code that the documents do not allow", async () => {
    const head = [
      'import createClient from "openapi-fetch"',
      'import type { paths } from "./core.ts"',
      "const core = createClient<paths>({})",
    ]
    await writeFile(join(folder, "mistakes.ts"), [...head, ...Object.values(mistakes)].join("\n"))
    const faults = (await compile("mistakes.ts")).match(/^mistakes\.ts\(\d+/gm) ?? []
    expect([...new Set(faults)]).toEqual(Object.keys(mistakes).map((_name, index) => `mistakes.ts(${head.length + index + 1}`))
  })
})

function isOpenApi3(document: object): document is OpenAPI3 {
  return "openapi" in document && typeof document.openapi === "string" && document.openapi.startsWith("3.0")
}
