import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { loadApiFolder } from "../runtime/launch/user-api.ts"
import { runGenerator } from "./cli.ts"

const repository = join(import.meta.dirname, "..")

const v1 = `kind: Kettle
group: kitchen.example.com
version: v1
doc: A kettle.
scope: Namespaced
names: {plural: kettles}
behaviours: [kettleLife]
columns:
  - {name: State, type: string, value: behaviour("kettleState"), doc: How it is.}
warnings:
  - {check: kettleAdvice, at: spec}
  - {check: podAdvice, at: template}
subresources:
  boil: {behaviour: kettleBoil, verbs: [update]}
  evict: {behaviour: kettleEvict, verbs: [create], kind: policy/v1 Eviction}
fields:
  spec: {type: KettleSpec, doc: What is wanted.}
  template: {type: core.v1.PodTemplateSpec, pointer: true, doc: What heats it.}
types:
  KettleSpec:
    doc: What is wanted of a kettle.
    checks: [kettleLimits]
    fields:
      litres: {type: int32, doc: How much it holds.}
`
const v2 = `kind: Kettle
group: kitchen.example.com
version: v2
doc: A kettle.
scope: Namespaced
names: {plural: kettles}
storage: {sharedWith: kitchen.example.com/v1 Kettle}
conversion: {behaviour: kettleForms}
fields:
  spec: {type: KettleSpec, doc: What is wanted.}
types:
  KettleSpec:
    doc: What is wanted of a kettle.
    fields:
      pints: {type: int32, doc: How much it holds.}
`

const strictest = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: "nodenext",
    target: "es2023",
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(repository, "node_modules/@types")],
    paths: {
      "orch-apiserver/schema": [join(repository, "runtime/schema/index.ts")],
      "orch-apiserver/generated/*": [join(repository, "generated/*.ts")],
    },
  },
  include: ["behaviours"],
}

test("a file of each sort is created, compiles under the strictest options, and is loaded", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "stubs-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write("schemas/kitchen.example.com/v1/kettle.yaml", v1)
  write("schemas/kitchen.example.com/v2/kettle.yaml", v2)
  const errors: string[] = []
  const printed: string[] = []
  const context = {
    cwd: folder,
    print: (line: string) => void printed.push(line),
    printError: (line: string) => void errors.push(line),
    now: () => 0,
  }
  expect([await runGenerator(["--schemas", "schemas", "--out", "generated"], context), errors]).toEqual([0, []])
  const names = printed.flatMap(
    (line) => /^created behaviours\/(\S+), which schemas\/\S+ names; it changes nothing yet$/.exec(line)?.[1] ?? [],
  )
  expect(names.toSorted()).toEqual([
    "cells/kettle-state.ts",
    "checks/kettle-limits.ts",
    "conversions/kettle-forms.ts",
    "kettle-boil.ts",
    "kettle-evict.ts",
    "kettle-life.ts",
    "warnings/kettle-advice.ts",
    "warnings/pod-advice.ts",
  ])
  for (const name of names) expect(existsSync(join(folder, "behaviours", name)), name).toBe(true)
  const text = (name: string): string => readFileSync(join(folder, "behaviours", name), "utf8")
  expect(text("warnings/pod-advice.ts")).toContain('"orch-apiserver/generated/core/v1/')
  expect(text("conversions/kettle-forms.ts")).toContain("defineConversion<KettleV2, Kettle>(")
  expect(text("kettle-life.ts")).toContain('from "../generated/kitchen.example.com/v1/kettle/types.ts"')
  write("package.json", '{"type": "module"}')
  write("tsconfig.json", JSON.stringify(strictest))
  const compiler = join(repository, "node_modules/typescript/bin/tsc")
  expect(execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })).toBe("")
  expect((await loadApiFolder(join(folder, "generated"))).kinds.length).toBe(2)
})
