/** Definitions that a start installs and that never become served: the start ends with a message. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { unavailable } from "../runtime/base/errors.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import { ownClient } from "../runtime/client/in-process-client.ts"
import { installDefinitions } from "../runtime/controllers/definitions/install-definitions.ts"
import { startServer } from "../runtime/library.ts"
import type { ObjectClient, ObjectPlace } from "../runtime/schema/object-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const group = "kitchen.example.com"
const definitions = { group: "apiextensions.orch.io", version: "v1", resource: "customresourcedefinitions", namespace: "" }

interface Facts {
  readonly served?: boolean
  readonly shortNames?: readonly string[]
}

/** A definition of `plural` with one version. */
function definition(plural: string, kind: string, { served = true, shortNames = [] }: Facts = {}): JsonObject {
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, shortNames: [...shortNames] },
      versions: [{ name: "v1", served, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  }
}

const named = (plural: string): ObjectPlace => ({ ...definitions, name: `${plural}.${group}` })
const kettles = { group, version: "v1", resource: "kettles", namespace: "default" }
const held = { metadata: { name: "a", finalizers: ["example.com/held"] } }

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "definitions-"))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

it("names the file, the name and its owner when two definitions ask for one name", async () => {
  const file = join(folder(), "pans.json")
  writeFileSync(file, JSON.stringify(definition("pans", "Kettle")))
  const fault = await startServer({ crds: [definition("kettles", "Kettle"), file] }).then(String, String)
  // Whichever of the two was first has the name.
  expect(fault).toMatch(/the definition "(pans|kettles)\.kitchen\.example\.com" is not served: a name in spec\.names belongs to/)
  expect(fault).toMatch(
    /belongs to the definition "(pans|kettles)\.kitchen\.example\.com": "Kettle(List)?" is already in use \((List)?KindConflict\)/,
  )
  expect(fault).toMatch(/choose another name in spec\.names, or delete the other definition$/)
})

it("names a definition that was served, and whose new names are taken", async () => {
  const path = folder()
  const first = await startServer({ "data-dir": path, crds: [definition("kettles", "Kettle"), definition("pans", "Pan")] })
  await first.stop()
  await expect(startServer({ "data-dir": path, crds: [definition("pans", "Pan", { shortNames: ["kettle"] })] })).rejects.toThrow(
    'startServer: crds: the definition "pans.kitchen.example.com" is not served: a name in spec.names belongs to the definition "kettles.',
  )
})

it("waits for a name that another definition of the same start gives up", async () => {
  const path = folder()
  const kettles = (...shortNames: string[]): JsonObject => definition("kettles", "Kettle", { shortNames })
  const pans = (...shortNames: string[]): JsonObject => definition("pans", "Pan", { shortNames })
  const first = await startServer({ "data-dir": path, crds: [kettles("a"), pans("b")] })
  await first.stop()
  await using second = await startServer({ "data-dir": path, crds: [kettles("b"), pans("c")] })
  const { items } = await second.client.list(definitions)
  const accepted = items.map(({ status }) => (status as { acceptedNames: JsonObject }).acceptedNames.shortNames) // As the schema says.
  expect(accepted).toEqual([["b"], ["c"]])
})

it("goes on with a definition that serves no version", async () => {
  await using server = await startServer({ crds: [definition("kettles", "Kettle", { served: false })] })
  expect((await server.client.list(definitions)).items).toHaveLength(1)
})

it("creates a definition again that is being deleted", async () => {
  const path = folder()
  const first = await startServer({ "data-dir": path, crds: [definition("kettles", "Kettle")] })
  const { metadata: old } = await first.client.get(named("kettles"))
  await first.client.create(kettles, held)
  await first.client.delete(named("kettles"))
  await first.client.patch({ ...kettles, name: "a" }, { metadata: { finalizers: null } })
  await first.stop()
  await using second = await startServer({ "data-dir": path, crds: [definition("kettles", "Kettle")] })
  expect((await second.client.get(named("kettles"))).metadata?.uid).not.toBe(old?.uid)
  expect((await second.client.list(kettles)).items).toEqual([])
})

describe("a definition that cannot be served", () => {
  let at: InProcess
  let client: ObjectClient
  let passing: ReturnType<typeof setInterval>
  const install = (how: ObjectClient): Promise<void> =>
    installDefinitions({ ...at.server.parts, client: how }, [{ definition: definition("kettles", "Kettle"), where: "--crd: a.yaml" }])

  beforeEach(async () => {
    at = await startInProcess({ store: "memory", vendor: "orch" })
    client = ownClient(at.server.parts, { name: "admin", groups: ["system:masters"], extra: {} })
    passing = setInterval(() => at.clock.advance(1000))
  })
  afterEach(async () => {
    clearInterval(passing)
    await at.stop()
  })

  /** A client whose first applies fail, since the store cannot answer. */
  function failing(times: number): ObjectClient {
    let left = times
    return new Proxy(client, {
      get: (target, property) => {
        if (property === "apply" && left-- > 0) return () => Promise.reject(unavailable("no member of the cluster answers"))
        const value: unknown = Reflect.get(target, property)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
  }

  it("is applied again while the store cannot answer, for a limited time", async () => {
    await install(failing(3))
    expect((await client.list(kettles)).items).toEqual([])
    await expect(install(failing(Number.POSITIVE_INFINITY))).rejects.toThrow(/was refused: no member of the cluster answers$/)
  })

  it("is waited for while it is being deleted, for a limited time", async () => {
    await install(client)
    await client.create(kettles, held)
    await client.delete(named("kettles"))
    await expect(install(client)).rejects.toThrow(/not served after 60 seconds: it is being deleted: .* 1 of them are held by finalizers$/)
  })
})
