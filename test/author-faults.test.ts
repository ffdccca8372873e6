/** Faults in the TypeScript of an author, loaded by `--api`: what the log says of them, and what clients hear. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { runGenerator } from "../codegen/cli.ts"
import { systemClock } from "../runtime/base/clock.ts"
import { systemRandom } from "../runtime/base/random.ts"
import { launch } from "../runtime/launch/launch.ts"
import { createLog } from "../runtime/launch/logging.ts"
import { defaultOptions } from "../runtime/options/load.ts"
import { createHttpClient, type HttpAnswer } from "./support/http-client.ts"

const schema = `kind: Kettle
group: kitchen.example.com
version: v1
doc: A kettle.
scope: Cluster
names: {plural: kettles}
behaviours: [kettleLife]
fields:
  spec: {type: KettleSpec, number: 2, doc: What is wanted.}
types:
  KettleSpec:
    doc: What is wanted of a kettle.
    checks: [kettleSpec]
    fields:
      name: {type: string, number: 1, required: true, doc: What it is called.}
      colour: {type: string, number: 2, doc: How it looks.}
`
const check = `import { defineCheck } from "orch-apiserver/schema"
import type { KettleSpec } from "../../generated/kitchen.example.com/v1/kettle/types.ts"

export const kettleSpec = defineCheck<KettleSpec>((spec, context) => {
  if (spec.name.startsWith("x")) context.fail("Invalid", spec.name, "must not begin with x", "name")
})
`
const life = `import { defineBehaviour } from "orch-apiserver/schema"
import type { Kettle } from "../generated/kitchen.example.com/v1/kettle/types.ts"

interface Unused {
  readonly lines: string
}

export const kettleLife = defineBehaviour<Kettle>({
  prepareCreate(kettle) {
    if (kettle.spec.colour === "red") throw new Error("planted")
  },
})
`

async function startKettles(lines: string[], texts: Readonly<Record<string, string>> = {}): Promise<(body: string) => Promise<HttpAnswer>> {
  const folder = mkdtempSync(join(tmpdir(), "author-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const all = {
    "schemas/kitchen.example.com/v1/kettle.yaml": schema,
    "behaviours/checks/kettle-spec.ts": check,
    "behaviours/kettle-life.ts": life,
    ...texts,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const errors: string[] = []
  const context = { cwd: folder, print: () => {}, printError: (line: string) => void errors.push(line), now: () => 0 }
  expect(await runGenerator(["--schemas", "schemas", "--out", "generated"], context), errors.join("\n")).toBe(0)
  const { server, url, token, authority } = await launch({
    options: { ...defaultOptions(), "bind-address": "127.0.0.1", store: "memory", api: [join(folder, "generated")] },
    clock: systemClock,
    random: systemRandom,
    log: createLog({
      format: "text",
      verbosity: 0,
      write: (line) => void lines.push(line.replaceAll(relative(process.cwd(), folder), "FOLDER")),
    }),
    transient: true,
    port: 0,
  })
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(url).port), authority })
  onTestFinished(async () => {
    client.close()
    await server.stop()
  })
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/yaml" }
  return (body) => client.send({ method: "POST", path: "/apis/kitchen.example.com/v1/kettles", headers, body: Buffer.from(body) })
}

const kettle = (spec: string): string => `{apiVersion: kitchen.example.com/v1, kind: Kettle, metadata: {name: tea}, spec: ${spec}}`

test("an error in a behaviour is logged with the author's file and line, which clients do not see", async () => {
  const lines: string[] = []
  const create = await startKettles(lines)
  const answer = await create(kettle("{name: a, colour: red}"))
  const body = answer.body.toString()
  expect(answer.status).toBe(500)
  expect(body).not.toMatch(/planted|kettle-life|bundled/)
  expect(lines.join("")).toMatch(/Error: planted\n +at .*FOLDER\/behaviours\/kettle-life\.ts:10:\d+/)
  expect(lines.join("")).not.toContain("(bundled)")
})

test("a check that relies on a missing required field does not hide that it is missing", async () => {
  const create = await startKettles([])
  const answer = await create(kettle("{}"))
  expect([answer.status, JSON.parse(answer.body.toString()).details.causes]).toEqual([
    422,
    [{ reason: "FieldValueRequired", message: "Required value", field: "spec.name" }],
  ])
  expect((await create(kettle("{name: xy}"))).status).toBe(422)
  expect((await create(kettle("{name: tea}"))).status).toBe(201)
})

test("code that fails when it is loaded is reported with its file and line", async () => {
  const failing =
    'import { defineBehaviour } from "orch-apiserver/schema"\nthrow new Error("planted")\nexport const kettleLife = defineBehaviour({})\n'
  await expect(startKettles([], { "behaviours/kettle-life.ts": failing })).rejects.toThrow(
    /the code does not run: planted\n.*behaviours\/kettle-life\.ts:2:\d+/,
  )
})
