import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { run } from "../../runtime/commands/run.ts"

vi.setConfig({ testTimeout: 60_000 })

let folder = ""
const printed: string[] = []
const errors: string[] = []

function program(...args: readonly string[]): Promise<number> {
  printed.length = 0
  errors.length = 0
  return run(args, {
    cwd: folder,
    env: {},
    print: (line) => void printed.push(line),
    printError: (line) => void errors.push(line),
    now: () => 0,
  })
}

function write(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  return path
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8")
}

const kettle = (
  kind = "Kettle",
  plural = "kettles",
  field = "litres: {type: integer, format: int32, description: How much.}",
): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.kitchen.example.com}
spec:
  group: kitchen.example.com
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: A kettle.
          properties:
            spec:
              type: object
              description: What is wanted.
              properties:
                ${field}
`

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-crd-"))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const schema = "my/schemas/kitchen.example.com/v1/kettle.yaml"
const fromCrd = (file: string): Promise<number> => program("gen", "--from-crd", file, "--schemas", "my/schemas")

describe("gen --from-crd", () => {
  test("writes a schema that gen accepts, and says what to do next", async () => {
    expect(await fromCrd(write("kettle.yaml", kettle()))).toBe(0)
    expect(errors).toEqual([])
    expect(printed).toEqual([
      `wrote ${schema}`,
      "next:",
      "  1. read what was written: every line may be changed",
      "  2. npm run gen -- --schemas my/schemas --out my/generated",
      "  3. npm start -- --api my/generated",
    ])
    expect(read(schema)).toBe(`# yaml-language-server: $schema=../../dialect.schema.json
# From the CustomResourceDefinition in kettle.yaml.
kind: Kettle
group: kitchen.example.com
version: v1
doc: A kettle.
scope: Namespaced
names: {plural: kettles}

# What clients see in a table. Values are expressions over the object.
columns:
  - {name: Name, type: string, format: name, value: metadata.name, doc: Name of the object.}
  - {name: Age, type: string, value: age(metadata.creationTimestamp), doc: Time since it was created.}
update: {unconditional: false, generation: [spec]}
finalizers: any

# apiVersion, kind and metadata are there by themselves; gen numbers the others. pointer: absent and zero differ.
fields:
  spec:
    pointer: true
    doc: What is wanted.
    fields:
      litres: {type: int32, pointer: true, doc: How much.}
`)
    expect(await program("gen", "--schemas", "my/schemas", "--out", "my/generated")).toBe(0)
    expect(printed.join()).toContain("1 kind from 1 schema file")
  })

  test("reads JSON, and several documents with comments between them", async () => {
    const json = {
      apiVersion: "apiextensions.orch.io/v1",
      kind: "CustomResourceDefinition",
      spec: {
        group: "a.example.com",
        scope: "Cluster",
        names: { kind: "Cup", plural: "cups" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }
    expect(await fromCrd(write("cup.json", JSON.stringify(json)))).toBe(0)
    expect(read("my/schemas/a.example.com/v1/cup.yaml")).toContain("scope: Cluster")
    expect(await fromCrd(write("both.yaml", `# Two.\n---\n${kettle()}---\n# none\n---\n${kettle("Pot", "pots")}`))).toBe(0)
    expect(printed.filter((line) => line.startsWith("wrote"))).toEqual([
      `wrote ${schema}`,
      "wrote my/schemas/kitchen.example.com/v1/pot.yaml",
    ])
  })

  test("prints what the dialect cannot say, with its line, and exits with 3", async () => {
    const field = "mail: {type: string, description: Where to., format: email, x-kubernetes-validations: [{rule: isURL(self)}]}"
    expect(await fromCrd(write("kettle.yaml", kettle("Kettle", "kettles", field)))).toBe(3)
    const at = "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.mail"
    expect(errors).toEqual([
      `kettle.yaml:21:70: ${at}.format: the dialect has no format email: the text is not checked`,
      `kettle.yaml:21:104: ${at}.x-kubernetes-validations[0]: the rule \`isURL(self)\`: the dialect has no function isURL`,
    ])
    expect(printed).toContain("2 things of the definition could not be said; the lines above name each")
    expect(read(schema)).toContain("mail: {type: string, pointer: true, doc: Where to.}")
  })

  test("leaves out a rule of a wrong type and a column that is no cell", async () => {
    const field =
      "mail: {type: string, description: Where to.}\n              x-kubernetes-validations: [{rule: has(self.mail) && self.mail > 3}]"
    expect(
      await fromCrd(
        write(
          "kettle.yaml",
          kettle("Kettle", "kettles", field).replace(
            "      schema:",
            "      additionalPrinterColumns: [{name: All, type: string, jsonPath: .spec}]\n      schema:",
          ),
        ),
      ),
    ).toBe(3)
    expect(errors).toHaveLength(2)
    expect(errors.join("\n")).toMatch(/additionalPrinterColumns\[0\]: left out: spec, .*\n.*x-kubernetes-validations\[0\]: left out: /)
    expect(await program("gen", "--schemas", "my/schemas", "--out", "my/generated")).toBe(0)
  })

  test.each([
    ["a file that is missing", undefined, /^crd\.yaml: cannot be read: ENOENT/],
    ["an empty file", "# nothing\n", /^crd\.yaml: holds no documents; expected CustomResourceDefinitions$/],
    ["another kind", "kind: Pod\napiVersion: v1\n", /^crd\.yaml:1:1: kind "Pod"; expected CustomResourceDefinition; nothing was written$/],
    ["a list", "- 1\n", /^crd\.yaml:1:1: not an object; expected a CustomResourceDefinition/],
    ["broken YAML", "a: [\n", /^crd\.yaml: line \d: /],
    [
      "another version of definitions",
      kettle().replace("io/v1", "io/v1beta1"),
      /apiVersion "apiextensions.k8s.io\/v1beta1"; expected apiextensions\.k8s\.io\/v1/,
    ],
    ["no versions", kettle().replace(/ {2}versions:[^]*/, ""), /no spec\.versions/],
    ["no storage version", kettle().replace("storage: true", "storage: false"), /expected exactly one version with storage: true/],
    ["no schema", kettle().replace(/ {6}schema:[^]*/, ""), /spec\.versions\[0\] without schema\.openAPIV3Schema/],
    [
      "a version of another form",
      kettle().replace("name: v1", "name: latest"),
      /spec\.versions\[0\]\.name "latest"; expected a version such as v1 or v1beta1/,
    ],
    ["a kind in small letters", kettle("kettle"), /spec\.names\.kind "kettle"; expected letters and digits, beginning with a capital/],
    [
      "two kinds with one name",
      `${kettle()}---\n${kettle("Kettle", "others")}`,
      /^crd\.yaml:23:1: the kind Kettle of kitchen\.example\.com a second time; document 1 has it/,
    ],
    ["two resources with one name", `${kettle()}---\n${kettle("Other")}`, /the resource kettles of kitchen\.example\.com a second time/],
  ])("%s: nothing is written", async (_title, text, expected) => {
    if (text !== undefined) write("crd.yaml", text)
    expect(await fromCrd("crd.yaml")).toBe(1)
    expect(errors.join("\n")).toMatch(expected)
    expect(existsSync(join(folder, "my"))).toBe(false)
  })

  test("does not touch a schema that exists, and refuses what it has no use for", async () => {
    write(schema, "mine")
    expect(await fromCrd(write("kettle.yaml", kettle()))).toBe(1)
    expect(errors).toEqual([`${schema} exists; it was not touched`, "nothing was written"])
    expect(read(schema)).toBe("mine")
    expect(await program("gen", "--from-crd", "kettle.yaml", "--out", "x")).toBe(2)
    expect(errors[0]).toBe("--from-crd writes schemas alone: --schemas says where; generate in a second run")
    expect(await program("gen", "--from-crd")).toBe(2)
    expect(await program("gen", "--help")).toBe(0)
    expect(printed.join("\n")).toContain("--from-crd FILE")
  })
})

describe("definitions", () => {
  const schemas = join(import.meta.dirname, "..", "..", "examples", "queues", "schemas")
  const out = ["--schemas", "my/schemas", "--out", "out"]

  test("writes a definition of each resource, and prints what it cannot say", async () => {
    cpSync(schemas, join(folder, "my/schemas"), { recursive: true })
    expect(await program("definitions", ...out, "--vendor=kubernetes")).toBe(3)
    expect(printed).toEqual(["wrote out/items.queue.example.com.yaml", "wrote out/queues.queue.example.com.yaml"])
    expect(read("out/queues.queue.example.com.yaml")).toMatch(/^apiVersion: apiextensions\.k8s\.io\/v1\nkind: CustomResourceDefinition\n/)
    expect(read("out/items.queue.example.com.yaml")).toContain("x-kubernetes-validations:\n                    - rule: self == oldSelf\n")
    expect(errors.filter((line) => !line.includes(": note: "))).toEqual([
      'my/schemas/queue.example.com/v1/queue.yaml: columns.State: `status.state ?? "Unknown"`: the cell is .status.state, and empty where that is absent',
      "my/schemas/queue.example.com/v1/queue.yaml: spec.checks: the check acceptsPattern is TypeScript: a definition has none",
      'my/schemas/queue.example.com/v1beta1/queue.yaml: conversion.rename["spec.size"]: spec.size is not read as spec.capacity: versions of a definition have the same fields',
    ])
  })

  test("without a vendor it is a definition of this server, and comes back", async () => {
    await fromCrd(write("kettle.yaml", kettle()))
    const before = read(schema)
    expect(await program("definitions", ...out)).toBe(0)
    expect(errors).toEqual([])
    expect(read("out/kettles.kitchen.example.com.yaml")).toMatch(/^apiVersion: apiextensions\.orch\.io\/v1\n/)
    rmSync(join(folder, "my"), { recursive: true })
    expect(await fromCrd("out/kettles.kitchen.example.com.yaml")).toBe(0)
    expect(read(schema)).toBe(
      before.replace("in kettle.yaml", "in kettles.kitchen.example.com.yaml").replace("kettles}", "kettles, singular: kettle}"),
    )
  })

  test("wrong use, faulty schemas and kinds that are no definitions", async () => {
    expect(await program("definitions")).toBe(2)
    expect(errors[0]).toContain("two folders are needed: npm run definitions -- --schemas DIR --out DIR")
    expect(await program("definitions", "--help")).toBe(0)
    expect(printed.join("\n")).toContain("--vendor")
    expect(await program("definitions", ...out)).toBe(1)
    expect(errors).toEqual(["my/schemas holds no schema files"])
    write(
      "my/schemas/apps/v1/kettle.yaml",
      "kind: Kettle\ngroup: apps\nversion: v1\ndoc: A kettle.\nscope: Cluster\nnames: {plural: kettles}\nfields: {}\n",
    )
    expect(await program("definitions", ...out)).toBe(1)
    expect(errors).toEqual([
      'my/schemas/apps/v1/kettle.yaml: group: the group "apps" is built in: the group of a definition is a domain',
      "no kind can be a definition; nothing was written",
    ])
    write("my/schemas/apps/v1/kettle.yaml", "kind: Kettle\n")
    expect(await program("definitions", ...out)).toBe(1)
    expect(errors.join("\n")).toContain('no "group" in a kind file')
    expect(existsSync(join(folder, "out"))).toBe(false)
  })
})
