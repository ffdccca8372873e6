/**
 * Responses of the reference server to the same GET in both encodings (`protobuf-reference.json`), compared with the
 * generated shapes.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { kinds } from "../../../generated/index.ts"
import { createProtobufCodec, unwrapUnknown, wrapUnknown } from "./codec.ts"
import { parseJson, stringify } from "../json/text.ts"
import { normalize } from "../normalize.ts"

interface Recorded {
  readonly group: string
  readonly kind: string
  readonly json: string
  /** base64 */
  readonly compact: string
}

const recorded: readonly Recorded[] = JSON.parse(readFileSync(new URL("reference.json", import.meta.url), "utf8"))

describe("objects as the reference encodes them", () => {
  for (const { group, kind, json, compact } of recorded) {
    it(`${kind}: byte for byte, from JSON to compact and back`, async () => {
      const found = kinds.find((candidate) => candidate.kind === kind && candidate.group === group)
      if (found === undefined) throw new Error(`no generated kind ${kind}`)
      const { shape } = await found.load()
      const codec = createProtobufCodec(shape)
      const { object, unknown } = normalize(shape, parseJson(json).value)
      expect(unknown).toEqual([])
      expect(stringify(object)).toBe(json)
      const { apiVersion = "" } = object
      expect(wrapUnknown({ apiVersion, kind, raw: codec.encode(object) }).toString("base64")).toBe(compact)
      const back = { kind, apiVersion, ...codec.decode(unwrapUnknown(Buffer.from(compact, "base64")).raw) }
      expect(stringify(normalize(shape, back).object)).toBe(json)
    })
  }
})
