/**
 * The stored form of a range: a RangeAllocation in the compact encoding, as the reference stores it below `ranges/`, so
 * that both can share a store. `range` identifies the range; `data` is a big-endian number whose bit n represents the
 * n-th usable number.
 */
import { ApiError } from "../../base/errors.ts"
import { createProtobufCodec, unwrapUnknown, wrapUnknown } from "../../encoding/protobuf/codec.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { Bitmap } from "./bitmap.ts"
import type { NumberRange } from "./ranges.ts"

const shape: TypeShape = {
  name: "core.v1.RangeAllocation",
  fields: [
    { name: "range", type: { scalar: "string" }, number: 2, keepEmpty: true },
    { name: "data", type: { scalar: "bytes" }, number: 3, keepEmpty: true },
  ],
}
const codec = createProtobufCodec(shape)

/** Called before a range is written. */
export function encodeAllocation(range: NumberRange, bitmap: Bitmap): Buffer {
  const raw = codec.encode({ range: range.text, data: bitmap.toBigEndian().toString("base64") })
  return wrapUnknown({ apiVersion: "v1", kind: "RangeAllocation", raw })
}

/**
 * Undefined when the value belongs to another range or cannot be decoded: the range must be rebuilt from the services.
 */
export function decodeAllocation(range: NumberRange, value: Uint8Array): Bitmap | undefined {
  try {
    const { range: text, data } = codec.decode(unwrapUnknown(value).raw)
    if (text !== range.text) return undefined
    return Bitmap.fromBigEndian(range.size, Buffer.from(typeof data === "string" ? data : "", "base64"))
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
