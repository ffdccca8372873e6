import { describe, expect, it } from "vitest"
import { turnsIn, withoutTurns } from "../../test/support/pieces.ts"
import { createProtobufCodec, unwrapUnknown } from "../encoding/protobuf/codec.ts"
import type { JsonObject } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"
import { turnWorkMax } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"
import { type ProtobufList, protobufListPieces, frameItems } from "./list-protobuf.ts"
import { listMetaShape } from "./status.ts"

const bytesOf = (list: Omit<ProtobufList, "turns">) => Buffer.concat([...withoutTurns(protobufListPieces({ ...list, turns: new Turns() }))])

describe("lists in protobuf", () => {
  const kettle: TypeShape = { name: "test.v1.Kettle", fields: [{ name: "data", type: { map: { scalar: "string" } }, number: 1 }] }
  const kettleList: TypeShape = {
    name: "test.v1.KettleList",
    fields: [
      { name: "metadata", type: { ref: () => listMetaShape }, number: 1 },
      { name: "items", type: { list: { ref: () => kettle } }, number: 2 },
    ],
  }

  it("equal an encoding of the whole list, for any lengths", () => {
    const codec = createProtobufCodec(kettle)
    const whole = createProtobufCodec(kettleList)
    const objects: JsonObject[] = [0, 1, 120, 200, 20_000, 3_000_000].map((length) => ({ data: { k: "x".repeat(length) } }))
    const metadata = { resourceVersion: "5", remainingItemCount: 3 }
    const items = objects.map((object) => codec.encode(object))
    const bytes = bytesOf({ kind: "KettleList", apiVersion: "test/v1", metadata, sizes: items, items })
    const { kind, apiVersion, raw } = unwrapUnknown(bytes)
    expect({ kind, apiVersion }).toEqual({ kind: "KettleList", apiVersion: "test/v1" })
    expect(whole.encode({ metadata, items: objects }).equals(raw)).toBe(true)
  })

  it("stay the same when some of their items are framed already", () => {
    const messages = [0, 5, 300, 70_000, 1].map((length) => Buffer.alloc(length, "m"))
    const head = { kind: "KettleList", apiVersion: "test/v1", metadata: {} }
    const framed = { framed: frameItems(messages.slice(1, 4)) }
    const plain = bytesOf({ ...head, sizes: messages, items: messages })
    const items = [...messages.slice(0, 1), framed, ...messages.slice(4)]
    expect(bytesOf({ ...head, sizes: items, items }).equals(plain)).toBe(true)
  })

  it("equal the reference's response when empty", () => {
    const bytes = bytesOf({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "10" }, sizes: [], items: [] })
    expect(bytes.toString("hex")).toBe("6b3873000a0d0a0276311207506f644c697374120a0a080a00120231301a001a002200")
  })

  it("yield while sizes are computed and while items are encoded", () => {
    const turns = new Turns()
    const message = Buffer.alloc(10)
    function* costly(): Generator<Uint8Array> {
      for (let index = 0; index < 1000; index++) {
        turns.isOver(turnWorkMax / 100)
        yield message
      }
    }
    const list = { kind: "KettleList", apiVersion: "test/v1", metadata: {}, sizes: costly(), items: costly(), turns }
    const pieces = protobufListPieces(list)
    for (let turn = 0; turn < 10; turn++) {
      expect(pieces.next().value).toBe(turns)
      void turns.next()
    }
    // Frame and item are two pieces.
    expect(turnsIn(pieces)).toEqual({ turns: 10, mostAtOnce: 202 })
  })
})
