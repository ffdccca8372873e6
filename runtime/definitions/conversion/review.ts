/** The request and the response of a conversion: ConversionReview, versions v1 and v1beta1. */
import { isObject, type JsonValue } from "../../base/json.ts"
import { cut } from "../../base/quote.ts"

const reviewKind = "ConversionReview"
const knownVersions: readonly string[] = ["v1", "v1beta1"]

/** A fault of a hook's answer, with the reference's message. */
export class ReviewError extends Error {
  /** `isUnread`: the document cannot be decoded as a review. */
  constructor(
    message: string,
    readonly isUnread = false,
  ) {
    super(message)
    this.name = "ReviewError"
  }
}

export interface ReviewRequest {
  readonly uid: string
  /** As on the wire. */
  readonly desiredApiVersion: string
  /** JSON of each object. */
  readonly objects: readonly string[]
}

/**
 * The first known version in `conversionReviewVersions`. Undefined when there is none; the check of definitions refuses
 * such a list.
 */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => knownVersions.includes(version))
}

/**
 * JSON of a review. Like the reference's, it has an empty response: some hooks decode it into a type that requires one.
 */
export function reviewText(apiVersion: string, { uid, desiredApiVersion, objects }: ReviewRequest): string {
  const head = `{"kind":"${reviewKind}","apiVersion":${JSON.stringify(apiVersion)}`
  const request = `"uid":${JSON.stringify(uid)},"desiredAPIVersion":${JSON.stringify(desiredApiVersion)}`
  const response = '"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}'
  return `${head},"request":{${request},"objects":[${objects.join(",")}]},${response}}`
}

/**
 * The converted objects of an answer, not checked any further. `apiVersion`: as in the request. Throws ReviewError for
 * another kind of document, for another uid, and with the hook's own message for a failed conversion. Version v1beta1
 * does not check the uid, as in the reference.
 */
export function convertedObjects(answer: JsonValue, apiVersion: string, uid: string): readonly JsonValue[] {
  const isStrict = !apiVersion.endsWith("/v1beta1")
  checkType(answer, apiVersion, isStrict)
  const response = isObject(answer) ? answer["response"] : undefined
  if (response === undefined || response === null) throw new ReviewError("no response provided")
  if (!isObject(response)) throw new ReviewError("the response is no object")
  const { uid: answered = "", result, convertedObjects: objects = null } = response
  if (isStrict && answered !== uid) throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`)
  checkResult(result)
  if (objects === null) return []
  if (!Array.isArray(objects)) throw new ReviewError("response.convertedObjects must be a list")
  return objects
}

function checkResult(result: JsonValue | undefined): void {
  const { status = "", message = "" } = isObject(result) ? result : {}
  if (status === "Success") return
  if (typeof message === "string" && message !== "") throw new ReviewError(message)
  throw new ReviewError(`response.result.status was '${cut(String(status))}', not 'Success'`)
}

/** Version v1beta1 accepts a document without a type. */
function checkType(answer: JsonValue, apiVersion: string, isStrict: boolean): void {
  if (answer !== null && !isObject(answer))
    throw new ReviewError("couldn't get version/kind; json parse error: the answer is no object", true)
  const { apiVersion: version = "", kind = "" } = answer ?? {}
  if (version === apiVersion && kind === reviewKind) return
  if (version === "" && kind === "") {
    if (isStrict) throw new ReviewError(`expected webhook response of ${typeText(apiVersion, reviewKind)}, got /, Kind=`)
    return
  }
  const [group = ""] = apiVersion.split("/")
  const isKnown = version === "v1" ? kind === "Status" : kind === reviewKind && knownVersions.some((each) => version === `${group}/${each}`)
  const [given, own] = [shortVersion(String(version)), shortVersion(apiVersion)]
  if (isKnown) throw new ReviewError(`converting (${given}.${String(kind)}) to (${own}.${reviewKind}): unknown conversion`, true)
  throw new ReviewError(
    `no kind ${JSON.stringify(cut(String(kind)))} is registered for version ${JSON.stringify(cut(String(version)))}`,
    true,
  )
}

function shortVersion(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? ""
}

/** `g/v1, Kind=K`, as the reference names types. */
export function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`
}
