/**
 * Protobuf descriptors. Each schema file states its own messages (`proto.ts`) and the files that it imports; this
 * module merges them into the reflection JSON that protobufjs loads. Messages are named like types (`core.v1.PodSpec`);
 * the special scalars are at the top level under their own names (catalog README, "Compact form").
 */
import { isObject, type JsonObject } from "../base/json.ts"

/** The messages of one schema file. */
export interface DescriptorPart {
  /** Path of the schema file, unique. */
  readonly file: string
  /** Message by type name. */
  readonly messages: { readonly [name: string]: JsonObject }
  /** The files whose messages these refer to. */
  readonly imports: readonly (() => Promise<DescriptorPart>)[]
}

const int64 = "int64"

/** Messages of the special scalars. `Json` holds a field of type `any`. */
export const scalarMessages: { readonly [name: string]: JsonObject } = {
  Time: message({ seconds: { type: int64, id: 1 }, nanos: { type: "int32", id: 2 } }),
  MicroTime: message({ seconds: { type: int64, id: 1 }, nanos: { type: "int32", id: 2 } }),
  Duration: message({ duration: { type: int64, id: 1 } }),
  Quantity: message({ string: { type: "string", id: 1 } }),
  IntOrString: message({ type: { type: int64, id: 1 }, intVal: { type: "int32", id: 2 }, strVal: { type: "string", id: 3 } }),
  RawExtension: message({ raw: { type: "bytes", id: 1 } }),
  FieldsV1: message({ Raw: { type: "bytes", id: 1 } }),
  Json: message({ raw: { type: "bytes", id: 1 } }),
}

/** proto2: a present zero value is written and lists are not packed. protobufjs requires this per message. */
function message(fields: JsonObject): JsonObject {
  return { edition: "proto2", fields }
}

/**
 * Builds the descriptor of a kind: its file's messages and all imports. Called on the first protobuf request for a
 * kind.
 */
export async function mergeDescriptors(first: DescriptorPart): Promise<JsonObject> {
  const parts = new Map<string, DescriptorPart>()
  const open = [first]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (parts.has(part.file)) continue
    parts.set(part.file, part)
    open.push(...(await Promise.all(part.imports.map((load) => load()))))
  }
  const root: JsonObject = { nested: { ...scalarMessages } }
  for (const part of parts.values()) for (const [name, body] of Object.entries(part.messages)) place(root, name.split("."), body)
  return root
}

function place(scope: JsonObject, [name, ...rest]: readonly string[], body: JsonObject): void {
  if (name === undefined) return
  const nested = nestedOf(scope)
  if (rest.length === 0) {
    nested[name] = { edition: "proto2", ...body, ...(nested[name] === undefined ? {} : { nested: nestedOf(namespace(nested, name)) }) }
    return
  }
  place(namespace(nested, name), rest, body)
}

function namespace(nested: JsonObject, name: string): JsonObject {
  const known = nested[name]
  if (isObject(known)) return known
  const made: JsonObject = { nested: {} }
  nested[name] = made
  return made
}

function nestedOf(scope: JsonObject): JsonObject {
  const { nested } = scope
  if (isObject(nested)) return nested
  const made: JsonObject = {}
  scope.nested = made
  return made
}
