import { join } from "node:path"
import { beforeAll, describe, expect, test, vi } from "vitest"
import type { Model } from "../model/model.ts"
import { emit, packageOptions } from "./emit/index.ts"
import { readSchemas } from "./folder.ts"
import { generate } from "./generate.ts"
import { neededLibrary } from "./library.ts"
import { load } from "./load/index.ts"

vi.setConfig({ testTimeout: 60_000 })

const library = readSchemas(join(import.meta.dirname, "..", "schemas"))
let model: Model

beforeAll(() => {
  const loaded = load(library)
  if ("diagnostics" in loaded) throw new Error("the built-in schemas have faults")
  model = loaded.model
})

function kettle(lines: string, field = "string"): ReadonlyMap<string, string> {
  const text = `kind: Kettle
group: kitchen.example.com
version: v1
doc: A kettle.
scope: Namespaced
names: {plural: kettles}
${lines}
fields:
  spec:
    ${field.includes("\n") ? field : `type: ${field}`}
    doc: What is wanted.
`
  return new Map([["kitchen.example.com/v1/kettle.yaml", text]])
}

/** Files generated from an author's schemas beside the built-in schemas in `beside`. */
function generated(files: ReadonlyMap<string, string>, beside: ReadonlyMap<string, string>): unknown {
  const loaded = load(files, { library: beside })
  if ("diagnostics" in loaded) return loaded.diagnostics
  const own = new Set([...files.keys()].map((path) => path.replace(/\.yaml$/, "")))
  return [...emit(loaded.model, packageOptions(own, "schemas"))]
}

/** Files whose types `name` refers to, directly or through others. */
function filesOf(name: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const type = model.types.get(next)
    if (type === undefined || seen.has(next)) continue
    seen.add(next)
    for (const [, ref = ""] of JSON.stringify(type.fields).matchAll(/"ref":"([^"]+)"/g)) waiting.push(ref)
  }
  return new Set([...seen].map((one) => `${model.types.get(one)?.file}.yaml`))
}

describe("every way to refer to a built-in type or kind", () => {
  test.each([
    ["nothing", "", "string"],
    ["a type", "", "core.v1.PodTemplateSpec"],
    ["a quoted type", "", '"core.v1.PodTemplateSpec"'],
    ["a list", "", '"[]core.v1.Container"'],
    ["a list without quotes, folded", "", "type: >-\n      []core.v1.Container"],
    ["a type on the next line", "", "type:\n      core.v1.PodTemplateSpec"],
    ["a map", "", "map<core.v1.ContainerPort>"],
    ["a wrapped list", "", '"wrapped<[]core.v1.Container>"'],
    [
      "a flow map over lines",
      "types: {KettleHeat: {doc: Heat., fields: {pod: {\n  type: core.v1.PodTemplateSpec,\n  doc: A pod.}}}}",
      "KettleHeat",
    ],
    ["a type that every kind needs", "", "meta.v1.Condition"],
    ["the body of a sub-resource", "subresources: {evict: {behaviour: kettleEvict, verbs: [create], kind: policy/v1 Eviction}}", "string"],
    ["a quoted body", 'subresources: {evict: {behaviour: kettleEvict, verbs: [create], kind: "policy/v1 Eviction"}}', "string"],
    [
      "the scale sub-resource",
      "subresources: {scale: {specReplicas: spec.replicas, statusReplicas: spec.replicas}}",
      "core.v1.ReplicationControllerSpec",
    ],
    ["the form of a built-in kind", "storage: {sharedWith: core/v1 Event}", "string"],
    ["its own storage path", "storage: {path: services/specs}", "string"],
    ["a post to a built-in kind", "verbs: [create]\npostsTo: pods/binding", "string"],
    ["an unknown type", "", "core.v1.PodTemplateSpeck"],
    ["an unknown kind", "storage: {sharedWith: core/v1 Evnt}", "string"],
  ])("%s", async (_way, lines, field) => {
    const files = kettle(lines, field)
    const whole = generated(files, library)
    const { files: texts, diagnostics } = await generate(files, { library })
    expect(diagnostics.length > 0 ? diagnostics : [...texts]).toEqual(whole)
  })
})

test("of every built-in type, all files that it needs are taken", () => {
  for (const name of model.types.keys()) {
    const needed = neededLibrary(kettle("", name), library)
    for (const file of filesOf(name)) expect(needed.has(file), `${name} needs ${file}`).toBe(true)
  }
})

test("a kind that refers to nothing, or only to its own versions, takes few files", () => {
  const few = neededLibrary(kettle(""), library)
  expect([...few.keys()].filter((path) => !/^(meta|autoscaling)\//.test(path))).toEqual([])
  expect(neededLibrary(kettle("storage: {sharedWith: kitchen.example.com/v2 Kettle}"), library).size).toBe(few.size)
})

test("a file of a built-in group takes all schemas, and no manifests", () => {
  const schemas = new Map([...library].filter(([path]) => !path.startsWith("bootstrap/")))
  expect(schemas.size).toBeLessThan(library.size)
  expect(neededLibrary(new Map([["core/v1/shared/mine.yaml", ""]]), library)).toEqual(schemas)
})
