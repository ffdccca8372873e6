/** Conversion of custom objects by a web hook: strategy Webhook of a definition. */
import { errorText } from "../../base/error-text.ts"
import { ApiError } from "../../base/errors.ts"
import { inParallel } from "../../base/in-parallel.ts"
import type { ApiObject, JsonValue } from "../../base/json.ts"
import { Turns } from "../../base/turns.ts"
import { lookWork } from "../../base/work.ts"
import { stringify } from "../../encoding/json/text.ts"
import type { ConversionFailure, ConversionStarted } from "../../schema/conversion-call.ts"
import type { ConvertObjects } from "../../schema/kind.ts"
import { conversionCallsAtOnce, conversionCharactersMax, conversionObjectsMax } from "./limits.ts"
import { type ReturnedWords, returnedObject } from "./returned-object.ts"
import { checkedSize } from "./returned-size.ts"
import { convertedObjects, ReviewError, reviewText, reviewVersion, typeText } from "./review.ts"

export interface WebhookConversion {
  /** The wire form of the group of ConversionReview. */
  readonly reviewGroup: string
  /** `spec.conversion.webhook.conversionReviewVersions`, most preferred first. */
  readonly reviewVersions: readonly string[]
  /** Every version of the definition, as `apiVersion` on the wire. */
  readonly apiVersions: readonly string[]
  /** Sends the JSON of a review and resolves with the answer. */
  readonly post: (review: string, signal?: AbortSignal) => Promise<JsonValue>
  readonly uuid: () => string
  /** Measures each call of the hook. */
  readonly started?: ConversionStarted
}

/** Objects of one call, with their places in the result. */
interface Batch {
  readonly places: number[]
  readonly objects: ApiObject[]
  readonly texts: string[]
}

/**
 * Makes the conversion of a definition. Called once per definition and change of it. The conversion rejects with
 * ApiError 500, without a reason as in the reference, when the hook fails, or does not return the same objects in the
 * desired version.
 */
export function webhookConversion(conversion: WebhookConversion): ConvertObjects {
  return async (objects, apiVersion, signal) => {
    for (const object of objects) checkVersion(conversion, object)
    const result = [...objects]
    await inParallel(batches(objects, apiVersion), { atOnce: conversionCallsAtOnce }, async ({ places, objects: sent, texts }) => {
      signal?.throwIfAborted()
      const converted = await called(conversion, { sent, texts, apiVersion, ...(signal !== undefined && { signal }) })
      for (const [index, place] of places.entries()) result[place] = converted[index] ?? {}
    })
    return result
  }
}

/** The store may still have a version that the definition no longer has. */
function checkVersion({ apiVersions }: WebhookConversion, { apiVersion = "" }: ApiObject): void {
  if (!apiVersions.includes(apiVersion)) throw new ApiError(500, "", `request to convert CR from an invalid group/version: ${apiVersion}`)
}

/** The objects that are not in the version, in batches, each made when it is sent. */
function* batches(objects: readonly ApiObject[], apiVersion: string): Generator<Batch> {
  let batch: Batch = { places: [], objects: [], texts: [] }
  let characters = 0
  for (const [place, object] of objects.entries()) {
    if (object.apiVersion === apiVersion) continue
    const text = stringify(object)
    const isFull = batch.objects.length >= conversionObjectsMax || characters + text.length > conversionCharactersMax
    if (isFull && batch.objects.length > 0) {
      yield batch
      batch = { places: [], objects: [], texts: [] }
      characters = 0
    }
    batch.places.push(place)
    batch.objects.push(object)
    batch.texts.push(text)
    characters += text.length
  }
  if (batch.objects.length > 0) yield batch
}

interface Sent {
  readonly sent: readonly ApiObject[]
  readonly texts: readonly string[]
  readonly apiVersion: string
  readonly signal?: AbortSignal
}

/** A call that its client has aborted is not counted. */
async function called(conversion: WebhookConversion, call: Sent): Promise<readonly ApiObject[]> {
  const version = reviewVersion(conversion.reviewVersions)
  if (version === undefined) throw new ApiError(500, "", "no supported conversion review versions")
  const ended = conversion.started?.({ from: versionOf(call.sent[0]?.apiVersion), to: versionOf(call.apiVersion) })
  try {
    const converted = await convertedBy(conversion, call, `${conversion.reviewGroup}/${version}`)
    ended?.()
    return converted
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    ended?.(error.failure)
    throw new ApiError(500, "", error.message)
  }
}

async function convertedBy(
  { post, uuid }: WebhookConversion,
  { sent, texts, apiVersion, signal }: Sent,
  review: string,
): Promise<readonly ApiObject[]> {
  const prefix = `conversion webhook for ${typeText(sent[0]?.apiVersion ?? "", sent[0]?.kind ?? "")}`
  const uid = uuid()
  const returned = await answered(prefix, signal, async () => {
    const answer = await post(reviewText(review, { uid, desiredApiVersion: apiVersion, objects: texts }), signal)
    return convertedObjects(answer, review, uid)
  })
  if (returned.length !== sent.length)
    throw new ConversionError(`${prefix} returned ${returned.length} objects, expected ${sent.length}`, "partial_response")
  const converted: ApiObject[] = []
  const turns = new Turns()
  for (const [index, object] of sent.entries()) {
    const { object: made, values } = checkedObject(object, returned[index], { apiVersion, words: wordsOf(prefix, sent.length, index) })
    converted.push(made)
    if (turns.isOver(values * lookWork)) await turns.next()
  }
  return converted
}

/** The returned object, and its number of values. */
function checkedObject(
  sent: ApiObject,
  returned: JsonValue | undefined,
  how: { readonly apiVersion: string; readonly words: ReturnedWords },
): { readonly object: ApiObject; readonly values: number } {
  try {
    const object = returnedObject(sent, returned, how)
    return { object, values: sizeInBounds(sent, object, how.words) }
  } catch (error) {
    throw new ConversionError(errorText(error), "invalid_converted_object")
  }
}

function sizeInBounds(sent: ApiObject, object: ApiObject, { wrongObject }: ReturnedWords): number {
  try {
    return checkedSize(object, sent)
  } catch (error) {
    throw new Error(`${wrongObject}: ${errorText(error)}`)
  }
}

async function answered(
  prefix: string,
  signal: AbortSignal | undefined,
  ask: () => Promise<readonly JsonValue[]>,
): Promise<readonly JsonValue[]> {
  try {
    return await ask()
  } catch (error) {
    signal?.throwIfAborted()
    const isMalformed = error instanceof ReviewError && !error.isUnread
    throw new ConversionError(`${prefix} failed: ${errorText(error)}`, isMalformed ? "malformed_response" : "call")
  }
}

class ConversionError extends Error {
  constructor(
    message: string,
    readonly failure: ConversionFailure,
  ) {
    super(message)
  }
}

/** `g/v1` is v1. */
function versionOf(apiVersion = ""): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1)
}

function wordsOf(prefix: string, count: number, index: number): ReturnedWords {
  if (count === 1)
    return {
      wrongType: `${prefix} returned invalid object at index 0`,
      wrongObject: `${prefix} returned invalid object`,
      wrongMetadata: `${prefix} returned invalid metadata`,
    }
  const wrong = `${prefix} returned invalid converted object at index ${index}`
  return { wrongType: wrong, wrongObject: wrong, wrongMetadata: `${prefix} returned invalid metadata in object at index ${index}` }
}
