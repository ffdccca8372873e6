/** Conversion of custom objects by a web hook: strategy Webhook of a definition. */
import { ApiError } from "../../base/errors.ts"
import { inParallel } from "../../base/in-parallel.ts"
import type { ApiObject, JsonValue } from "../../base/json.ts"
import { stringify } from "../../encoding/json/text.ts"
import type { ConvertObjects } from "../../schema/kind.ts"
import { conversionCallsAtOnce, conversionCharactersMax, conversionObjectsMax } from "./limits.ts"
import { type ReturnedWords, returnedObject } from "./returned-object.ts"
import { convertedObjects, reviewText, reviewVersion, typeText } from "./review.ts"

export interface WebhookConversion {
  /** The wire form of the group of ConversionReview. */
  readonly reviewGroup: string
  /** `spec.conversion.webhook.conversionReviewVersions`, most preferred first. */
  readonly reviewVersions: readonly string[]
  /** Every version of the definition, as `apiVersion` on the wire. */
  readonly apiVersions: readonly string[]
  /** Sends the JSON of a review and resolves with the document that came back. */
  readonly post: (review: string, signal?: AbortSignal) => Promise<JsonValue>
  readonly uuid: () => string
}

/** Objects that go in one call, with their places in the result. */
interface Batch {
  readonly places: number[]
  readonly objects: ApiObject[]
  readonly texts: string[]
}

/**
 * Makes the conversion of a definition. Called once per definition and change of it. The conversion rejects with
 * ApiError 500, without a reason as in the reference, when the hook fails or returns something else than the same
 * objects in the desired version.
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

/** A version that the definition no longer has is still in the store. */
function checkVersion({ apiVersions }: WebhookConversion, { apiVersion = "" }: ApiObject): void {
  if (!apiVersions.includes(apiVersion)) throw refused(`request to convert CR from an invalid group/version: ${apiVersion}`)
}

/** The objects that are not in the version, in batches that are made when they are sent. */
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

async function called(
  { reviewGroup, reviewVersions, post, uuid }: WebhookConversion,
  { sent, texts, apiVersion, signal }: { sent: readonly ApiObject[]; texts: readonly string[]; apiVersion: string; signal?: AbortSignal },
): Promise<readonly ApiObject[]> {
  const [first] = sent
  const prefix = `conversion webhook for ${typeText(first?.apiVersion ?? "", first?.kind ?? "")}`
  const version = reviewVersion(reviewVersions)
  if (version === undefined) throw refused("no supported conversion review versions")
  const review = `${reviewGroup}/${version}`
  const uid = uuid()
  let returned: readonly JsonValue[]
  try {
    returned = convertedObjects(await post(reviewText(review, { uid, desiredApiVersion: apiVersion, objects: texts }), signal), review, uid)
  } catch (error) {
    signal?.throwIfAborted()
    throw refused(`${prefix} failed: ${messageOf(error)}`)
  }
  if (returned.length !== sent.length) throw refused(`${prefix} returned ${returned.length} objects, expected ${sent.length}`)
  try {
    return sent.map((object, index) => returnedObject(object, returned[index], { apiVersion, words: wordsOf(prefix, sent.length, index) }))
  } catch (error) {
    throw refused(messageOf(error))
  }
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

function refused(message: string): ApiError {
  return new ApiError(500, "", message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
