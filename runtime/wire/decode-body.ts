/** Decodes bodies of any size: short ones at once, long ones in turns, long YAML in a thread. */
import { ApiError } from "../base/errors.ts"
import { parsingJson } from "../encoding/json/text.ts"
import { yamlAtOnceBytes } from "../base/limits.ts"
import type { Stages } from "../base/turns.ts"
import { type DecodedObject, type DecodeOptions, decodingObject } from "./decode-object.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { runExclusive, workOn } from "./long-documents.ts"
import type { Media } from "./negotiate.ts"
import { type ParsedYaml, parseYaml, yamlText } from "./yaml.ts"
import { type ReadYaml, yamlThread } from "./yaml-thread.ts"

/**
 * Called by every verb that takes an object, with the whole body. Throws ApiError 400 or 413. Returns a promise only
 * for a long body.
 */
export function decodeBody(
  body: Uint8Array,
  media: Media,
  options: DecodeOptions & { readonly signal?: DeadlineSignal },
): DecodedObject | Promise<DecodedObject> {
  if (media === "yaml" && isLongYaml(body)) return decodeLongYaml(body, options)
  return workOn(body.length, decodingObject(body, media, options), options.signal)
}

async function decodeLongYaml(body: Uint8Array, options: DecodeOptions & { readonly signal?: DeadlineSignal }): Promise<DecodedObject> {
  const read = await readElsewhere(body, options.signal)
  return runExclusive(decodingObject(body, "yaml", options, parsing(read)), options.signal)
}

/** Parses YAML without a type: an applied configuration. Throws ApiError 400 or 413. */
export async function readYaml(body: Uint8Array, signal?: DeadlineSignal): Promise<ParsedYaml> {
  if (!isLongYaml(body)) return parseYaml(yamlText(body))
  return runExclusive(parsing(await readElsewhere(body, signal)), signal)
}

/** A short text with aliases may expand to a long one. */
function isLongYaml(body: Uint8Array): boolean {
  return body.length > yamlAtOnceBytes || (body.includes(0x26) && body.includes(0x2a))
}

/** Reads YAML in the thread. Returns a syntax error, so that decoding can report it with its other errors. */
async function readElsewhere(body: Uint8Array, signal: DeadlineSignal | undefined): Promise<ReadYaml | ApiError> {
  try {
    return await yamlThread.read(body, signal)
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error
    throw error
  }
}

function* parsing(read: ReadYaml | ApiError): Stages<ParsedYaml> {
  if (read instanceof ApiError) throw read
  // The thread has counted its values.
  const { value } = yield* parsingJson(read.json)
  return { value, duplicates: read.duplicates }
}
