/**
 * The metadata of cached objects. It is at the front of their JSON, so the rest of an object is not parsed: a
 * controller that looks at ten thousand large objects pays for their metadata only.
 */
import type { JsonObject, ObjectMeta } from "../base/json.ts"
import { decodeWork, parseWork } from "../base/work.ts"
import { metadataIn } from "../encoding/json/bytes.ts"
import type { CachedObject } from "../storage/cache.ts"
import { parseObject } from "./object-codec.ts"

/** Metadata, and the work of reading it, in the unit of `Turns`. */
export interface ReadMetadata {
  readonly metadata: ObjectMeta
  readonly work: number
}

/** Reads the metadata of an object. Throws UndecodableError. */
export function readMetadata(object: Pick<CachedObject, "hasJson" | "json" | "sizeBytes">): ReadMetadata {
  const decoding = object.hasJson ? 0 : decodeWork(object.sizeBytes)
  const found = metadataIn(object.json())
  if (found === undefined) return { metadata: {}, work: decoding }
  // The metadata of a stored value is an object.
  return { metadata: parseObject(found) as JsonObject, work: decoding + parseWork(found.length) }
}

/** The metadata alone, for callers that read one object. Throws UndecodableError. */
export function metadataOf(object: Pick<CachedObject, "hasJson" | "json" | "sizeBytes">): ObjectMeta {
  return readMetadata(object).metadata
}
