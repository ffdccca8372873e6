import { describe, expect, it } from "vitest"
import { wrapUnknown } from "../encoding/protobuf/codec.ts"
import { protobufFrame, jsonFrame } from "./watch-frames.ts"

describe("watch frames", () => {
  it("are lines in JSON", () => {
    expect(jsonFrame("ADDED", Buffer.from('{"kind":"X"}')).toString()).toBe('{"type":"ADDED","object":{"kind":"X"}}\n')
  })

  it("are length-prefixed messages in protobuf, as the reference sends them", () => {
    const envelope = wrapUnknown({ apiVersion: "v1", kind: "ConfigMap", raw: Buffer.from("0a00", "hex") })
    const frame = protobufFrame("ADDED", envelope)
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
    expect(frame.subarray(4).toString("hex")).toBe(`0a05414444454412${"1f"}${"0a1d"}${envelope.toString("hex")}`)
    const long = protobufFrame("MODIFIED", Buffer.alloc(70_000))
    expect(long.readUInt32BE(0)).toBe(long.length - 4)
  })
})
