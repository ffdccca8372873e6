import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { podShape } from "../../generated/core/v1/pod/shape.ts"
import { defaultPod } from "../../generated/core/v1/pod/defaults.ts"
import { vendorProfile } from "../base/vendor.ts"
import { ApiError } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { settle } from "../encoding/settled.ts"
import { knownBodyBytesMax, SettledTexts } from "../encoding/settled-texts.ts"
import { knownParts } from "./known-parts.ts"
import { decodeObject, type DecodeOptions } from "./decode-object.ts"

const base: DecodeOptions = { shape: podShape, expect: { kind: "Pod", apiVersions: ["v1"] } }

/** Decodes as POST and PUT do. `hit`: the spec was not read again. */
function decode(body: Buffer, options: Partial<DecodeOptions>): { object?: ApiObject; warnings?: string[]; error?: string; hit: boolean } {
  try {
    const { object, warnings, settled, isPlain } = decodeObject(body, "json", { ...base, ...options })
    defaultPod(object, { vendor: vendorProfile("orch"), root: object, unchanged: settled })
    if (isPlain && settled === undefined) options.settled?.learn(body, object)
    return { object, warnings, hit: settled !== undefined }
  } catch (error) {
    if (error instanceof ApiError) return { error: `${error.code} ${error.message}`, hit: false }
    throw error
  }
}

const container = (image: string) => ({
  name: "c",
  image,
  env: Array.from({ length: 12 }, (_, at) => ({ name: `V${at}`, value: "é".repeat(20) })),
})
const specs = ["nginx:1", "nginx:2"].map((image) => JSON.stringify({ containers: [container(image)], restartPolicy: "Never" }))
const spec = fc.constantFrom(...specs)

/** Fields of a document, in any order and number, some of which look like the one whose text is known. */
const field = fc.oneof(
  spec.map((text) => `"spec":${text}`),
  spec.map((text) => `"spec": ${text}`),
  spec.map((text) => `"Spec":${text}`),
  spec.map((text) => `"other":{"spec":${text}}`),
  spec.map((text) => `"metadata":{"name":"a","annotations":{"last":${JSON.stringify(`{"spec":${text}}`)}}}`),
  spec.map((text) => `"metadata":{"name":"a","spec":${text}}`),
  spec.map((text) => `"spec":${text.slice(0, -1)},"nodeName":"n"}`),
  spec.map((text) => `"spec":${text.slice(0, -1)}`),
  fc.constantFrom(
    '"metadata":{"name":"b"}',
    '"kind":"Pod"',
    '"kind":"Service"',
    '"status":{"phase":"Running"}',
    '"status":7',
    '"spec":0',
    '"spec":{}',
    '"metadata":{"name":"\\ud800"}',
    "}",
  ),
)
/** Field sets may hold any value, also one that looks like a spec, and come before it. */
const managed = (text: string) => `,"managedFields":[{"manager":"m","operation":"Update","fieldsV1":{"spec":${text}}}]`
const whole = fc
  .tuple(fc.constantFrom("a", "b"), fc.option(spec, { nil: undefined, freq: 1 }), spec)
  .map(([name, set, text]) => `{"kind":"Pod","metadata":{"name":"${name}"${set === undefined ? "" : managed(set)}},"spec":${text}}`)
const any = fc.array(field, { minLength: 1, maxLength: 4 }).map((fields) => `{${fields.join(",")}}`)
const body = fc.oneof({ weight: 3, arbitrary: whole }, any)

describe("parts of a body that are known", () => {
  it("give the object, the warnings and the errors of a body that is read whole", () => {
    let hits = 0
    fc.assert(
      fc.property(
        fc.array(body, { minLength: 3, maxLength: 12 }),
        fc.constantFrom("Ignore", "Warn", "Strict"),
        (bodies, fieldValidation) => {
          const settled = new SettledTexts("spec")
          for (const text of bodies) {
            const { hit, ...known } = decode(Buffer.from(text), { settled, fieldValidation })
            if (hit) hits++
            const { hit: _hit, ...whole } = decode(Buffer.from(text), { fieldValidation })
            expect(known).toEqual(whole)
          }
        },
      ),
      { numRuns: 500 },
    )
    expect(hits).toBeGreaterThan(100)
  })

  it("share the value from the third body on", () => {
    const settled = new SettledTexts("spec")
    const [first, second, third, fourth] = ["a", "b", "c", "d"].map((name) =>
      decode(Buffer.from(`{"metadata":{"name":"${name}"},"spec":${specs[0]}}`), { settled }),
    )
    expect([first?.hit, second?.hit, third?.hit]).toEqual([false, false, true])
    expect(third?.object?.spec).toBe(second?.object?.spec)
    expect(fourth?.object?.spec).toBe(third?.object?.spec)
    expect(fourth?.object?.metadata).toMatchObject({ name: "d" })
  })

  it("are those of the object that a body replaces", () => {
    const text = (name: string, more = "") => `{"metadata":{"name":"${name}"${more}},"spec":${specs[0]}}`
    const stored = decode(Buffer.from(text("a")), {}).object ?? {}
    const managedFields = Array.from({ length: 4 }, (_, at) => ({
      manager: `m${at}`,
      operation: "Update",
      fieldsV1: { "f:spec": { [`f:${"x".repeat(200)}`]: {} } },
    }))
    stored.metadata = { name: "a", managedFields }
    expect(settle(Object(stored.spec))).toBe(true)
    const settled = new SettledTexts("spec")
    const replacing = (body: string) => decode(Buffer.from(body), { settled, stored }).object
    const sent = `{"metadata":{"name":"a","managedFields":${JSON.stringify(managedFields)}},"spec":${JSON.stringify(stored.spec)}}`
    const both = replacing(sent)
    expect(both?.spec).toBe(stored.spec)
    expect(both?.metadata?.managedFields).toBe(managedFields)
    expect(both).toEqual(decode(Buffer.from(sent), {}).object)
    // One field has changed.
    const other = replacing(sent.replace("nginx:1", "nginx:3"))
    expect(other?.metadata?.managedFields).toBe(managedFields)
    expect(other).toEqual(decode(Buffer.from(sent.replace("nginx:1", "nginx:3")), {}).object)
    const more = replacing(sent.replace('"m3"', '"m4"'))
    expect(more?.spec).toBe(stored.spec)
    expect(more).toEqual(decode(Buffer.from(sent.replace('"m3"', '"m4"')), {}).object)
    // In another place they are another field.
    const elsewhere = `{"metadata":{"name":"a"},"status":{"managedFields":${JSON.stringify(managedFields)}}}`
    expect(replacing(elsewhere)).toEqual(decode(Buffer.from(elsewhere), {}).object)
  })

  it("are not other fields of their names, in which a document may hold anything", () => {
    const [one = "", other = ""] = specs
    const stored = decode(Buffer.from(`{"metadata":{"name":"a"},"spec":${one}}`), {}).object ?? {}
    settle(Object(stored.spec))
    const managedFields = [{ manager: "x".repeat(600) }]
    stored.metadata = { name: "a", managedFields }
    const putsBack = (text: string) => {
      const parts = knownParts(Buffer.from(text), { settled: new SettledTexts("spec"), stored })
      return parts?.putBack(JSON.parse(parts.rest))
    }
    expect(putsBack(`{"metadata":{},"spec":${JSON.stringify(stored.spec)}}`)).toBe(true)
    expect(putsBack(`{"metadata":{"fieldsV1":{"spec":${JSON.stringify(stored.spec)}}},"spec":${other}}`)).toBe(false)
    expect(putsBack(`{"metadata":{"managedFields":${JSON.stringify(managedFields)}}}`)).toBe(true)
    expect(putsBack(`{"data":{"managedFields":${JSON.stringify(managedFields)}},"metadata":{"managedFields":[]}}`)).toBe(false)

    const settled = new SettledTexts("spec")
    const within = `{"metadata":{"name":"a"${managed(one)}},"spec":${other}}`
    for (let time = 0; time < 3; time++) decode(Buffer.from(within), { settled })
    const behind = Buffer.byteLength(within.slice(within.indexOf(one) + one.length))
    const rest = behind - ',"status":{"message":""}}'.length
    const outside = `{"metadata":{"name":"a"},"spec":${one},"status":{"message":"${"x".repeat(rest)}"}}`
    expect(decode(Buffer.from(outside), { settled }).object).toEqual(decode(Buffer.from(outside), {}).object)
  })

  it("are not looked for in long bodies, which are read in turns", () => {
    const settled = new SettledTexts("spec")
    const send = (note: string) => decode(Buffer.from(`{"metadata":{"name":"${note}"},"spec":${specs[0]}}`), { settled })
    for (let time = 0; time < 3; time++) send("n".repeat(knownBodyBytesMax))
    expect([send("a").hit, send("a").hit, send("a").hit]).toEqual([false, false, true])
    expect(send("n".repeat(knownBodyBytesMax)).hit).toBe(false)
  })

  it("are kept up to a number of bytes, and those that were not asked for longest go first", () => {
    const settled = new SettledTexts("spec")
    const send = (at: number) =>
      decode(
        Buffer.from(`{"metadata":{"name":"a"},"spec":{"nodeName":"${at}","containers":[${JSON.stringify(container("x".repeat(8000)))}]}}`),
        { settled },
      )
    for (let at = 1000; at < 1100; at++) for (let time = 0; time < 2; time++) send(at)
    expect(send(1099).hit).toBe(true)
    expect(send(1000).hit).toBe(false)
  })
})
