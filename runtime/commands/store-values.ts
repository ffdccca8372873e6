/**
 * Interprets the values of a store for the operators' commands: which resource a key belongs to, and whether its value
 * is an object of that resource.
 */
import { ApiError } from "../base/errors.ts"
import { createProtobufCodec, unwrapUnknown } from "../encoding/protobuf/codec.ts"
import { isEnvelope } from "../encoding/protobuf/envelope.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { JsonSyntaxError, parseJson } from "../encoding/json/text.ts"
import type { Kind } from "../schema/kind.ts"

export interface StoreValues {
  /** `pods`, `services/specs`; the first segment for keys of an unknown kind; a remark for keys of other programs. */
  resourceOf(key: string): string
  /** Returns the fault of a value; undefined: none. */
  check(kept: { readonly key: string; readonly value: Uint8Array }): string | undefined
}

/** The path segment below which servers keep shared data that are not objects. */
const ownSegment = "orch-apiserver"

/** Called once per command; loads every kind. `root` is the prefix of keys, `/registry/`. */
export async function loadStoreValues(options: { kinds: readonly Kind[]; root: string }): Promise<StoreValues> {
  const { root } = options
  const decoders = new Map<string, Decoder>()
  for (const kind of options.kinds)
    if (isStoredForm(kind) && !decoders.has(kind.storage.path)) decoders.set(kind.storage.path, await loadDecoder(kind))
  const paths = [...decoders.keys()].sort((left, right) => right.length - left.length)
  function split(key: string): { path: string | undefined; rest: string } {
    const below = key.slice(root.length)
    const path = key.startsWith(root) ? paths.find((candidate) => below.startsWith(`${candidate}/`)) : undefined
    return { path, rest: path === undefined ? below : below.slice(path.length + 1) }
  }
  return {
    resourceOf(key) {
      if (!key.startsWith(root)) return `(outside ${root})`
      const { path, rest } = split(key)
      return path ?? rest.split("/")[0] ?? ""
    },
    check({ key, value }) {
      if (key.startsWith(`${root}${ownSegment}/`)) return undefined
      const { path, rest } = split(key)
      const decoder = path === undefined ? undefined : decoders.get(path)
      try {
        return decoder === undefined ? checkUnknown(value) : decoder(value, rest)
      } catch (error) {
        return `its value does not decode: ${messageOf(error)}`
      }
    },
  }
}

/** Returns the fault of a value. Throws when the value cannot be decoded. `rest`: the key below the resource's path. */
type Decoder = (value: Uint8Array, rest: string) => string | undefined

/** Versions that share storage are stored in the form of one of them. */
function isStoredForm({ group, version, kind, storage }: Kind): boolean {
  return group === storage.group && version === storage.version && kind === storage.kind
}

async function loadDecoder(kind: Kind): Promise<Decoder> {
  const parts = await kind.load()
  const codec = createProtobufCodec(parts.shape)
  return (value, rest) => {
    const object = readObject(value, kind.storage.kind, (raw) => codec.decode(raw))
    if (typeof object === "string") return object
    const metadata = isObject(object.metadata) ? object.metadata : {}
    const named = kind.namespaced ? `${String(metadata.namespace)}/${String(metadata.name)}` : String(metadata.name)
    return named === rest ? undefined : `its value is of another object, ${named}`
  }
}

/** Returns the fields of a stored object, or the reason why it is not one of this kind. */
function readObject(value: Uint8Array, kind: string, decode: (raw: Uint8Array) => JsonObject): JsonObject | string {
  if (!isEnvelope(value)) {
    const object = readJson(value)
    if (!isObject(object)) return "its value is no object"
    return object.kind === kind ? object : `its value is a ${String(object.kind)} and not a ${kind}`
  }
  const envelope = unwrapUnknown(value)
  return envelope.kind === kind ? decode(envelope.raw) : `its value is a ${envelope.kind} and not a ${kind}`
}

/**
 * For kinds unknown here (of another program, or of an `--api` folder that was not given): checks the encoding only.
 */
function checkUnknown(value: Uint8Array): undefined {
  if (isEnvelope(value)) unwrapUnknown(value)
  else readJson(value)
}

function readJson(value: Uint8Array): JsonValue {
  return parseJson(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8")).value
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof JsonSyntaxError || error instanceof Error) return error.message
  return String(error)
}
