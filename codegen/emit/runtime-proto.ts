/** The `.proto` file of messages that belong to no group: scalars, and the envelope. */
import { protobufFile, runtimePackage } from "../../model/protobuf.ts"
import { type MessageScalar, scalarMessages } from "../../runtime/schema/scalar-messages.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"
import { type ProtoField, type ProtoMessage, printProto } from "../print/proto-text.ts"

const docs: { readonly [Name in MessageScalar]: string } = {
  Time: "A point in time, to the second. Without fields it is the zero time, which is null in JSON.",
  MicroTime: "A point in time, to the microsecond. Without fields it is the zero time, which is null in JSON.",
  Duration: "A length of time in nanoseconds. In JSON it is a text such as 1m30s.",
  Quantity: "An amount with a unit, as a text such as 500m or 1Gi. In JSON it is that text.",
  IntOrString: "A number or a text: a number when type is 0, a text when it is 1. In JSON it is one or the other.",
  RawExtension: "An object of any kind. raw holds its JSON, or an envelope (Unknown with its four bytes) in a watch.",
  FieldsV1: "A set of field paths, as JSON.",
  any: "A value of any type, as JSON.",
}

const envelope: readonly ProtoMessage[] = [
  message("TypeMeta", "The version and kind of an object.", [
    field("apiVersion", 1, "string", "Group and version, such as apps/v1; v1 for the core group."),
    field("kind", 2, "string", "The kind, such as Deployment."),
  ]),
  message(
    "Unknown",
    "The envelope of every stored and served object. Four bytes precede it: 6b 38 73 00. A watch sends WatchEvents instead, each after its length in four bytes, big-endian.",
    [
      field("typeMeta", 1, "TypeMeta", "What raw holds."),
      field("raw", 2, "bytes", "The message of the object, in the package of its group and version."),
      field("contentEncoding", 3, "string", "Always empty."),
      field("contentType", 4, "string", "The media type of raw; empty for protobuf."),
    ],
  ),
]

/** The text of the file. `schemaFolder`: the first part of the source on line 1. */
export function runtimeProto(schemaFolder: string): string {
  const scalars = (Object.keys(docs) as MessageScalar[]).map((scalar) => scalarMessage(scalarMessages[scalar], docs[scalar])) // The keys of a record of all.
  return printProto({
    source: `${schemaFolder}/dialect.schema.json`,
    doc: `Messages of the package ${runtimePackage} (${protobufFile(runtimePackage)}): the types of fields that protobuf does not have, and the envelope of objects.`,
    package: runtimePackage,
    imports: [],
    messages: [...scalars, ...envelope],
  })
}

function scalarMessage(shape: TypeShape, doc: string): ProtoMessage {
  const fields = shape.fields.map(({ name, number = 0, type }) => field(name, number, "scalar" in type ? type.scalar : "bytes", ""))
  return message(shape.name, doc, fields)
}

function message(name: string, doc: string, fields: readonly ProtoField[]): ProtoMessage {
  return { name, doc, reserved: [], nested: [], fields }
}

function field(name: string, number: number, type: string, doc: string): ProtoField {
  return { name, number, type: `optional ${type}`, doc, deprecated: false }
}
