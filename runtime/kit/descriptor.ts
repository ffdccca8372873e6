/**
 * Compact-encoding descriptors: each schema file states its own messages (`proto.ts`) and which files it leans on; here they are put
 * together into the reflection JSON that protobufjs loads, laid out as compact-descriptor.ts says.
 */
import { specialMessages } from "./compact-descriptor.ts"
import type { JsonObject } from "./json.ts"

/** The messages of one schema file. */
export interface DescriptorPart {
  /** Path of the schema file, unique. */
  readonly file: string
  /** Messages by message name (`core_v1_PodSpec`). */
  readonly messages: { readonly [name: string]: JsonObject }
  /** The files whose messages these refer to. */
  readonly imports: readonly (() => Promise<DescriptorPart>)[]
}

/** The whole descriptor of a kind: its file's messages and all they lean on. Called on the first compact request for a kind. */
export async function mergeDescriptors(first: DescriptorPart): Promise<JsonObject> {
  const parts = new Map<string, DescriptorPart>()
  const open = [first]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (parts.has(part.file)) continue
    parts.set(part.file, part)
    open.push(...(await Promise.all(part.imports.map((load) => load()))))
  }
  const nested: JsonObject = { ...specialMessages }
  for (const part of parts.values()) {
    for (const [name, message] of Object.entries(part.messages)) nested[name] = { edition: "proto2", ...message }
  }
  return { nested }
}
