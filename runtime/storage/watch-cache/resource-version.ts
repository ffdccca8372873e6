/**
 * Replaces `metadata.resourceVersion` in an object's JSON without parsing it: a deleted object is shown with the
 * revision of its deletion (specification section 4.4; the reference does the same), and a delete must not cost a
 * decode. The walk visits only the keys of the root and of `metadata`, so text elsewhere that looks like a
 * resourceVersion (an involved object, an annotation) is never touched, and it ends at the first match: in the usual
 * key order it reads little more than `metadata`.
 */
import { endOfString, endOfValue, skipSpace, valueOfKey } from "../../encoding/json/bytes.ts"
import { quote } from "../../encoding/json/punctuation.ts"

/**
 * Called for the object of a DELETED event. Returns a copy of `json` with `revision`; throws when `json` is not an
 * object with a string `metadata.resourceVersion`, which a ResourceCodec guarantees.
 */
export function withResourceVersion(json: Buffer, revision: number): Buffer {
  const metadata = valueOfKey(json, skipSpace(json, 0), "metadata")
  const text = metadata < 0 ? -1 : valueOfKey(json, metadata, "resourceVersion")
  if (text < 0 || json[text] !== quote) throw new Error("the object's JSON has no metadata.resourceVersion")
  const end = endOfString(json, text)
  return Buffer.concat([json.subarray(0, text + 1), Buffer.from(String(revision), "latin1"), json.subarray(end - 1)])
}

/**
 * Reads the labels from JSON of a ResourceCodec, scanning only up to their end. Called for the newest state of many
 * objects.
 */
export function labelsInJson(json: Buffer): Record<string, string> {
  const metadata = valueOfKey(json, skipSpace(json, 0), "metadata")
  const labels = metadata < 0 ? -1 : valueOfKey(json, metadata, "labels")
  return labels < 0 ? {} : (JSON.parse(json.toString("utf8", labels, endOfValue(json, labels))) ?? {})
}
