import { expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { documentValuesMax, largeObjectBytes } from "../base/limits.ts"
import { decodeBody, readYaml } from "./decode-body.ts"
import { decodeObject, type DecodeOptions } from "./decode-object.ts"

async function optionsOf(kind: string): Promise<DecodeOptions> {
  const found = kinds.find((one) => one.kind === kind && one.group === "")
  if (found === undefined) throw new Error(`there is no ${kind}`)
  const { shape } = await found.load()
  return { shape, expect: { kind, apiVersions: ["v1"] } }
}

const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => item(index)).join(",")

it("decodes a short body at once", async () => {
  expect(decodeBody(Buffer.from('{"data":{"a":"b"}}'), "json", await optionsOf("ConfigMap"))).toMatchObject({
    object: { data: { a: "b" } },
  })
})

it.each([
  ["ConfigMap", "keys in any order", `{"data":{${list(16_000, (index) => `"k${(index * 7919) % 16_000}":"v"`)}}}`],
  ["ConfigMap", "numbers as keys", `{"data":{${list(16_000, (index) => `"${index * 17}":"v"`)}}}`],
  ["ConfigMap", "unknown and repeated fields", `{"data":{${list(16_000, (index) => `"k${index % 15_000}":"v"`)}},"zip":1}`],
  ["Pod", "containers", `{"spec":{"containers":[${list(8000, (index) => `{"name":"c${index}","ports":[{"containerPort":1}]}`)}]}}`],
])("decodes a long %s of %s like a short one, in turns", async (kind, _what, text) => {
  const options = await optionsOf(kind)
  const body = Buffer.from(text)
  expect(body.length).toBeGreaterThan(largeObjectBytes)
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const long = await decodeBody(body, "json", options)
  isDone = true
  expect(turns).toBeGreaterThan(2)
  const whole = decodeObject(body, "json", options)
  expect(JSON.stringify(long.object) === JSON.stringify(whole.object)).toBe(true)
  expect(long.warnings).toEqual(whole.warnings)
})

it("decodes long YAML, and YAML with aliases, like a short body", async () => {
  const options = await optionsOf("ConfigMap")
  const data = Array.from({ length: 3000 }, (_none, index) => `  k${index}: v${index}`).join("\n")
  for (const text of [`data:\n${data}\n  k5: again\nzip: 1\n`, "data: {a: &x v, b: *x}", "data: {a: &x [], b: *x}", `${data}\n [`]) {
    const body = Buffer.from(text)
    const decoded = Promise.resolve().then(() => decodeBody(body, "yaml", options))
    expect(decodeBodyOrFault(() => decodeBody(body, "yaml", options))).toBeInstanceOf(Promise)
    const [long] = await Promise.allSettled([decoded])
    const whole = decodeBodyOrFault(() => decodeObject(body, "yaml", options))
    if (whole instanceof Error) expect(long).toMatchObject({ status: "rejected", reason: { code: 400, message: whole.message } })
    else expect(JSON.stringify(long)).toBe(JSON.stringify({ status: "fulfilled", value: whole }))
  }
  expect(decodeBody(Buffer.from("data: {a: b}"), "yaml", options)).not.toBeInstanceOf(Promise)
})

function decodeBodyOrFault<Result>(decode: () => Result): Result | Error {
  try {
    const result = decode()
    if (result instanceof Promise) result.catch(() => undefined)
    return result
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

it("reads an applied configuration of any length", async () => {
  const list = `[${"{a: 1}, ".repeat(3000)}]`
  expect(await readYaml(Buffer.from(`a: ${list}\na: 2\n`))).toEqual({ value: { a: 2 }, duplicates: ['line 2: key "a" already set in map'] })
  expect(await readYaml(Buffer.from("a: 1"))).toEqual({ value: { a: 1 }, duplicates: [] })
  await expect(readYaml(Buffer.from(`a: ${list}\nb: *c`))).rejects.toMatchObject({ code: 400 })
})

it("gives the same error for a long invalid body", async () => {
  const options = await optionsOf("Pod")
  const containers = list(15_000, (index) => `{"name":${index === 14_999 ? 5 : '"c"'}}`)
  await expect(decodeBody(Buffer.from(`{"spec":{"containers":[${containers}]}}`), "json", options)).rejects.toThrow(
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number 5 into field spec.containers[14999].name of type string',
  )
  await expect(
    decodeBody(Buffer.from(`{"spec":{"containers":[${list(documentValuesMax, () => "{}")}]}}`), "json", options),
  ).rejects.toMatchObject({
    code: 413,
  })
})
