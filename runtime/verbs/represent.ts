/**
 * Converts an object version into the format that a client asked for. All but tables are encoded once per object
 * version and shared.
 */
import type { ApiObject } from "../base/json.ts"
import { wrapUnknown } from "../encoding/protobuf/codec.ts"
import { stringify } from "../encoding/json/text.ts"
import type { CachedObject } from "../storage/cache.ts"
import type { WriteResult } from "../registry/commit.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { KindHandle } from "../registry/registry.ts"

/** The part of a cached object that encodings are made from. The result of a write provides it too. */
export interface ObjectVersion extends Pick<CachedObject, "json" | "derived" | "message"> {
  /** The result of `objectOf`, if already known. Do not modify it. */
  readonly object?: ApiObject
}

/** Decodes into the handle's version. Used by tables and writes; never by a plain get, list or watch. */
export function objectOf(handle: KindHandle, version: ObjectVersion): ApiObject {
  return version.object ?? handle.fromStored(parseObject(version.json()))
}

/** JSON in the handle's version: the bytes that were read, if they are in that version. */
export function jsonOf(handle: KindHandle, version: ObjectVersion): Buffer {
  if (handle.readsOwnVersion) return version.json()
  return version.derived(`json:${handle.apiVersion}`, () => Buffer.from(stringify(objectOf(handle, version))))
}

/** The protobuf message without its envelope, as in list items. */
export function protobufMessageOf(handle: KindHandle, version: ObjectVersion): Buffer {
  const stored = handle.kind === handle.stored ? version.message?.() : undefined
  if (stored !== undefined) return stored
  return version.derived(`compact:${handle.apiVersion}`, () => handle.compact.encode(objectOf(handle, version)))
}

/** The protobuf message in its envelope. */
export function protobufOf(handle: KindHandle, version: ObjectVersion): Buffer {
  return wrapUnknown({ apiVersion: handle.apiVersion, kind: handle.kind.kind, raw: protobufMessageOf(handle, version) })
}

/** Wraps the result of a write, without caching encodings: nothing shares it. */
export function freshVersion(handle: KindHandle, result: Pick<WriteResult, "object" | "json">): ObjectVersion {
  let json: Buffer | undefined
  return {
    json: () => {
      json ??= result.json?.() ?? Buffer.from(stringify(handle.toStored(result.object)))
      return json
    },
    derived: (_form, make) => make(),
  }
}
