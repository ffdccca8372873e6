/** Faults in the TypeScript of an author, loaded by `--api`: the log's messages about them, and clients' answers. */
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

type Send = (method: string, path: string, body?: string) => Promise<HttpAnswer>

/** Starts a server with the kettles and further files; resolves with a function that creates kettles. */
async function startKettles(lines: string[], texts: Readonly<Record<string, string>> = {}): Promise<(body: string) => Promise<HttpAnswer>> {
  const send = await startWith(lines, texts)
  return (body) => send("POST", "kettles", body)
}

async function startWith(lines: string[], texts: Readonly<Record<string, string>>): Promise<Send> {
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
  const table = "application/json;as=Table;v=v1;g=meta.orch.io"
  return (method, path, body) =>
    client.send({
      method,
      path: `/apis/kitchen.example.com/${path.startsWith("v1beta1/") ? "" : "v1/"}${path}`,
      headers: body === undefined ? { authorization: headers.authorization, accept: table } : headers,
      ...(body !== undefined && { body: Buffer.from(body) }),
    })
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

const potSchema = `kind: Pot
group: kitchen.example.com
version: v1
doc: A pot.
scope: Cluster
names: {plural: pots}
checks: [potCheck]
warnings: [{check: potWarning}]
behaviours: [potLife]
columns: [{name: Name, type: string, value: 'behaviour("potCell")', doc: Its name.}]
subresources: {boil: {behaviour: potBoil, verbs: [update], kind: kitchen.example.com/v1 Pot}}
fields:
  spec: {type: PotSpec, number: 2, doc: What is wanted.}
types:
  PotSpec:
    doc: What is wanted of a pot.
    fields:
      fault: {type: string, number: 1, doc: Which file throws.}
`
const oldPotSchema = potSchema
  .replace("version: v1", "version: v1beta1")
  .replace(/checks: [^]*?(?=fields:)/, "storage: {sharedWith: kitchen.example.com/v1 Pot}\nconversion: {behaviour: potOld}\n")

/** The call that throws is in the third line of each file, and in a function of another file. */
const potFile = (sort: string, name: string, body: string): string =>
  [
    `import { define${sort} as define } from "orch-apiserver/schema"; import { throwFor } from "${name.includes("/") ? "../" : "./"}helpers/throw-for.ts"`,
    `export const ${name.replace(/^.*\//, "").replace(/-(.)/, (_text, letter: string) => letter.toUpperCase())} = define(`,
    body,
    ")",
  ].join("\n")
const pots = {
  "schemas/kitchen.example.com/v1/pot.yaml": potSchema,
  "schemas/kitchen.example.com/v1beta1/pot.yaml": oldPotSchema,
  "behaviours/helpers/throw-for.ts":
    "\nexport function throwFor(pot: any, fault: string): any {\n  if (pot?.spec?.fault === fault) throw new Error(`planted ${fault}`)\n  return pot\n}\n",
  "behaviours/checks/pot-check.ts": potFile("Check", "checks/pot-check", '(pot) => throwFor(pot, "check")'),
  "behaviours/warnings/pot-warning.ts": potFile("Warning", "warnings/pot-warning", '(pot) => [throwFor(pot, "warning")].slice(1)'),
  "behaviours/cells/pot-cell.ts": potFile("Cell", "cells/pot-cell", '(pot) => (throwFor(pot, "cell"), "text")'),
  "behaviours/conversions/pot-old.ts": potFile(
    "Conversion",
    "conversions/pot-old",
    '{ toStored: (pot) => throwFor(pot, "conversion"), fromStored: (pot) => pot }',
  ),
  "behaviours/pot-boil.ts": potFile("Subresource", "pot-boil", '{ update: (sent, old) => (throwFor(sent, "boil"), old) }'),
  "behaviours/pot-life.ts": potFile("Behaviour", "pot-life", '{ async commit({ object }) { await null; throwFor(object, "commit") } }'),
}

test("an error in a file of any sort is logged with the lines of the file and of what it calls", async () => {
  const lines: string[] = []
  const send = await startWith(lines, pots)
  const pot = (fault: string, version = "v1"): string =>
    `{apiVersion: kitchen.example.com/${version}, kind: Pot, metadata: {name: a}, spec: {fault: ${fault}}}`
  const logged = async (fault: string, ...[method, path, body]: Parameters<Send>): Promise<readonly [number, string, string]> => {
    lines.length = 0
    const { status, body: answer } = await send(method, path, body)
    const text = lines.join("")
    const called = text.includes(`planted ${fault}`) ? (/at throwFor \(FOLDER\/([^)]*):\d+\)/.exec(text)?.[1] ?? "") : answer.toString()
    return [status, called, /FOLDER\/(behaviours\/(?!helpers)\S*):\d+\)?\n/.exec(text)?.[1] ?? text]
  }
  const helper = "behaviours/helpers/throw-for.ts:3"
  expect(await logged("check", "POST", "pots", pot("check"))).toEqual([500, helper, "behaviours/checks/pot-check.ts:3"])
  expect(await logged("warning", "POST", "pots", pot("warning"))).toEqual([500, helper, "behaviours/warnings/pot-warning.ts:3"])
  expect(await logged("commit", "POST", "pots", pot("commit"))).toEqual([500, helper, "behaviours/pot-life.ts:3"])
  const old = await logged("conversion", "POST", "v1beta1/pots", pot("conversion", "v1beta1"))
  expect(old).toEqual([500, helper, "behaviours/conversions/pot-old.ts:3"])
  expect((await send("POST", "pots", pot("cell"))).status).toBe(201)
  expect(await logged("cell", "GET", "pots")).toEqual([500, helper, "behaviours/cells/pot-cell.ts:3"])
  expect(await logged("boil", "PUT", "pots/a/boil", pot("boil"))).toEqual([500, helper, "behaviours/pot-boil.ts:3"])
})
