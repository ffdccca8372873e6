/**
 * The protobuf messages of the scalars that protobuf does not have: a Time is a message of seconds and nanoseconds.
 * Their numbers and types are the reference's. Read by the codec and by the generator of `.proto` files.
 */
import type { Scalar, TypeShape } from "./shape.ts"

/** Scalars that are messages in protobuf. */
export type MessageScalar = Exclude<Scalar, "string" | "boolean" | "int32" | "int64" | "double" | "bytes">

const instant: TypeShape["fields"] = [
  { name: "seconds", type: { scalar: "int64" }, number: 1, pointer: true },
  { name: "nanos", type: { scalar: "int32" }, number: 2, pointer: true },
]
const json: TypeShape["fields"] = [{ name: "raw", type: { scalar: "bytes" }, number: 1 }]

/** The message of each scalar; a field of type `any` has the message `Json`. */
export const scalarMessages: { readonly [Name in MessageScalar]: TypeShape } = {
  Time: { name: "Time", fields: instant },
  MicroTime: { name: "MicroTime", fields: instant },
  Duration: { name: "Duration", fields: [{ name: "duration", type: { scalar: "int64" }, number: 1 }] },
  Quantity: { name: "Quantity", fields: [{ name: "string", type: { scalar: "string" }, number: 1 }] },
  IntOrString: {
    name: "IntOrString",
    fields: [
      { name: "type", type: { scalar: "int64" }, number: 1 },
      { name: "intVal", type: { scalar: "int32" }, number: 2 },
      { name: "strVal", type: { scalar: "string" }, number: 3 },
    ],
  },
  RawExtension: { name: "RawExtension", fields: json },
  FieldsV1: { name: "FieldsV1", fields: [{ name: "Raw", type: { scalar: "bytes" }, number: 1 }] },
  any: { name: "Json", fields: json },
}

/** Whether the scalar is a message in protobuf. */
export function isMessageScalar(scalar: Scalar): scalar is MessageScalar {
  return Object.hasOwn(scalarMessages, scalar)
}
