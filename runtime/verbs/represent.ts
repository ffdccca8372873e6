/** An object version in the form a client asked for. Every form but tables is made once per object version and shared. */
import type { ApiObject } from "../base/json.ts"
import { wrapUnknown } from "../encoding/protobuf/codec.ts"
import { stringify } from "../encoding/json/text.ts"
import type { CachedObject } from "../storage/cache.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { KindHandle } from "../registry/registry.ts"

/** The part of a cached version that forms are made from; a fresh write result offers it too. */
export interface ObjectVersion extends Pick<CachedObject, "json" | "derived" | "message"> {
  /** What `objectOf` answers, where it is known already. Nobody may change it. */
  readonly object?: ApiObject
}

/** Decoded, in the handle's version. For tables and the write path; never on a plain get, list or watch. */
export function objectOf(handle: KindHandle, version: ObjectVersion): ApiObject {
  return version.object ?? handle.fromStored(parseObject(version.json()))
}

/** JSON bytes in the handle's version: the cached bytes themselves when it is the stored one. */
export function jsonOf(handle: KindHandle, version: ObjectVersion): Buffer {
  if (handle.kind === handle.stored) return version.json()
  return version.derived(`json:${handle.apiVersion}`, () => Buffer.from(stringify(objectOf(handle, version))))
}

/** The compact message alone, as list items hold it. */
export function protobufMessageOf(handle: KindHandle, version: ObjectVersion): Buffer {
  const stored = handle.kind === handle.stored ? version.message?.() : undefined
  if (stored !== undefined) return stored
  return version.derived(`compact:${handle.apiVersion}`, () => handle.compact.encode(objectOf(handle, version)))
}

/** The compact message in its envelope. */
export function protobufOf(handle: KindHandle, version: ObjectVersion): Buffer {
  return wrapUnknown({ apiVersion: handle.apiVersion, kind: handle.kind.kind, raw: protobufMessageOf(handle, version) })
}

/** A write result as a version: nothing to share, so nothing is kept. */
export function freshVersion(handle: KindHandle, result: { object: ApiObject; json?: Buffer }): ObjectVersion {
  let json = result.json
  return {
    json: () => {
      json ??= Buffer.from(stringify(handle.toStored(result.object)))
      return json
    },
    derived: (_form, make) => make(),
  }
}
