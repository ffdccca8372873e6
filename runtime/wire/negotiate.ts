/**
 * Negotiates the encodings of request and response; specification section 4.7. Follows the reference: a clause of
 * `Accept` whose media type is known but whose parameters cannot be met falls through to the next clause; media types
 * are compared literally; unknown parameters are ignored.
 */
import { ApiError, badRequest, notAcceptable, unsupportedMediaType } from "../base/errors.ts"
import { memoize } from "../base/memoize.ts"
import { trimmed } from "../base/trim.ts"
import { acceptCharactersMax, acceptTypesMax } from "../base/limits.ts"
import type { Vendor } from "../base/vendor.ts"

/** An encoding of objects, in requests and responses. */
export type Media = "json" | "yaml" | "compact"

/** Another form of the response, requested with `as=`. */
export interface Rendering {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList"
  /** Neutral. */
  readonly group: string
  readonly version: string
}

export interface Negotiated {
  readonly media: Media
  readonly as?: Rendering
  /** The client sent `stream=watch`. */
  readonly stream: boolean
  /** `pretty=1` in Accept. */
  readonly pretty: boolean
  /** The Content-Type header of the response. */
  readonly contentType: string
}

export interface NegotiateOptions {
  readonly vendor: Vendor
  /**
   * False: there is no compact encoding at all. `metadata`: only partial metadata, requested with `as=`, has one. The
   * media type is then known but fits no object, as for custom resources of the reference.
   */
  readonly compact?: boolean | "metadata"
  /** Watches are sent as frames, which YAML does not have. */
  readonly watch?: boolean
  /** The path can be watched: a refusal lists the stream types too. */
  readonly collection?: boolean
  /** The response is an error: a wildcard suffices, while other responses require a known name. */
  readonly failure?: boolean
  /** The values that `as=` may have: forms of objects (the default), aggregated discovery, or none. */
  readonly renderings?: "objects" | "discovery" | "none"
  /** False: the objects of the answer, such as reviews, have no Table. Default true. */
  readonly tables?: boolean
}

/** Media types in order of preference; a wildcard selects the first. */
function mediaTypes(options: { vendor: Vendor; compact?: boolean | "metadata" }): Map<string, Media> {
  const types: [string, Media][] = [
    ["application/json", "json"],
    ["application/yaml", "yaml"],
  ]
  if (options.compact !== false) types.push([options.vendor.compactMediaType, "compact"])
  return new Map(types)
}

/**
 * Called once per request with its Accept header, before any work. Throws ApiError 406 that lists the supported types:
 * with `details` when no media type matches at all, without when only parameters do not match, as the reference does.
 */
export function negotiate(accept: string | undefined, options: NegotiateOptions): Negotiated {
  const { vendor, compact = true, watch = false, failure = false, renderings: offered = "objects" } = options
  const asked = compactQuestion(compact) + (watch ? 2 : 0) + (failure ? 4 : 0) + (options.collection === true ? 8 : 0) + places[offered]
  const question = options.tables === false ? asked + 128 : asked
  const answers = known.get(vendor) ?? answersOf(vendor)
  answers[question] ??= memoize((text) => negotiateAnew(text, options))
  return answers[question](accept ?? "")
}

/** Caches results: requests with the same options send the same headers again and again. */
const known = new WeakMap<Vendor, Answers>()
type Answers = ((accept: string) => Negotiated)[]

function answersOf(vendor: Vendor): Answers {
  const answers: Answers = []
  known.set(vendor, answers)
  return answers
}

const places = { objects: 0, discovery: 16, none: 32 }
const compactQuestion = (compact: boolean | "metadata"): number => (compact === "metadata" ? 64 : compact ? 1 : 0)

function negotiateAnew(accept: string, options: NegotiateOptions): Negotiated {
  const types = mediaTypes(options)
  const clauses = parseAccept(accept === "" ? "*/*" : accept)
  // The reference requires a known name: `application/*` and `*` count only beside one.
  if (options.failure !== true && !clauses.some(({ written }) => written === "*/*" || types.has(written)))
    throw noKnownType([...types.keys()], options.collection === true)
  for (const clause of clauses) {
    const media = clause.type === "*/*" || clause.type === "application/*" ? "json" : types.get(clause.type)
    const negotiated = media === undefined ? undefined : fit(media, clause.parameters, options)
    // YAML has no frames; the reference does not try another clause then.
    if (negotiated?.media === "yaml" && options.watch === true) break
    if (negotiated !== undefined) return negotiated
  }
  const offersStreams = options.watch === true && options.compact !== "metadata"
  throw notAcceptable(offersStreams ? streams([...types.keys()]) : [...types.keys()])
}

function noKnownType(types: readonly string[], collection: boolean): ApiError {
  const offered = collection ? [...types, ...streams(types)] : types
  return new ApiError(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`, {})
}

function streams(types: readonly string[]): readonly string[] {
  return types.filter((type) => type !== "application/yaml").map((type) => `${type};stream=watch`)
}

/** Matches one clause with a known media type; undefined when its parameters cannot be met. */
function fit(media: Media, parameters: ReadonlyMap<string, string>, options: NegotiateOptions): Negotiated | undefined {
  const stream = parameters.get("stream") ?? ""
  if ((stream !== "" && stream !== "watch") || (media === "yaml" && stream !== "")) return undefined
  const serverVersion = parameters.get("sv") ?? ""
  if (serverVersion !== "" && (serverVersion !== "v1" || options.renderings !== undefined)) return undefined
  const as = rendering(parameters, options)
  if (as === "unknown" || (as?.kind === "Table" && (media === "compact" || options.tables === false))) return undefined
  if (as === undefined && media === "compact" && options.compact === "metadata") return undefined
  const compactType = options.vendor.compactMediaType
  const contentType = media === "compact" ? (options.watch === true ? `${compactType};stream=watch` : compactType) : `application/${media}`
  return { media, ...(as !== undefined && { as }), stream: stream !== "", pretty: parameters.get("pretty") === "1", contentType }
}

const renderings: Readonly<Record<"objects" | "discovery" | "none", readonly Rendering[]>> = {
  objects: (["Table", "PartialObjectMetadata", "PartialObjectMetadataList"] as const).flatMap((kind) =>
    ["v1", "v1beta1"].map((version) => ({ kind, group: "meta.orch.io", version })),
  ),
  discovery: ["v2", "v2beta1"].map((version) => ({ kind: "APIGroupDiscoveryList", group: "apidiscovery.orch.io", version })),
  none: [],
}

/** Any of the three parameters requests a rendering; undefined when none is present. */
function rendering(parameters: ReadonlyMap<string, string>, options: NegotiateOptions): Rendering | "unknown" | undefined {
  const [kind, written, version] = ["as", "g", "v"].map((name) => parameters.get(name) ?? "")
  if (kind === "" && written === "" && version === "") return undefined
  const group = options.vendor.neutralGroup(written ?? "")
  const offered = renderings[options.renderings ?? "objects"]
  return offered.find((one) => one.kind === kind && one.group === group && one.version === version) ?? "unknown"
}

/**
 * Called once the response is known to be an object or a list: a rendering for the other is not acceptable. `kind`: the
 * kind of the response, as `ConfigMapList`. Throws ApiError 406.
 */
export function checkRendering(as: Rendering | undefined, answer: { list: boolean; kind: string }): void {
  if (as?.kind === "PartialObjectMetadata" && answer.list) {
    throw new ApiError(406, "NotAcceptable", `you requested PartialObjectMetadata, but the requested object is a list (${answer.kind})`)
  }
  if (as?.kind === "PartialObjectMetadataList" && !answer.list) {
    throw new ApiError(
      406,
      "NotAcceptable",
      `you requested PartialObjectMetadataList, but the requested object is not a list (${answer.kind})`,
    )
  }
}

interface Clause {
  /** `*` is any type. */
  readonly type: string
  readonly written: string
  readonly quality: number
  /** 0 for `*`, 1 for a type with any sub-type, 2 for a full type. */
  readonly exactness: number
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Splits an `Accept` header at its commas. Called by all code that reads one. Throws ApiError 400 for too many clauses.
 */
export function acceptClauses(text: string): readonly string[] {
  if (text.length > acceptCharactersMax)
    throw badRequest(`header Accept: ${text.length} characters, at most ${acceptCharactersMax} are read: name fewer media types`)
  const clauses = text.split(",", acceptTypesMax + 1)
  if (clauses.length > acceptTypesMax) throw badRequest(`header Accept: more than ${acceptTypesMax} media types: name fewer`)
  return clauses
}

/** Sorts clauses by quality, then by exactness, and otherwise keeps their order. */
function parseAccept(text: string): readonly Clause[] {
  const clauses = acceptClauses(text)
    .map(parseClause)
    .filter((clause) => clause !== undefined)
  return clauses.sort((left, right) => right.quality - left.quality || right.exactness - left.exactness)
}

function parseClause(text: string): Clause | undefined {
  const [typeText = "", ...parameterTexts] = text.split(";")
  const written = trimmed(typeText, " ")
  const type = written === "*" ? "*/*" : written
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return undefined
  const parameters = parseParameters(parameterTexts)
  const weight = Number(parameters.get("q") ?? "1")
  const quality = Number.isFinite(weight) ? weight : 1
  return { type, written, quality, exactness: type === "*/*" ? 0 : type.endsWith("/*") ? 1 : 2, parameters }
}

function parseParameters(texts: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const text of texts) {
    const equals = text.indexOf("=")
    if (equals > 0) parameters.set(text.slice(0, equals).trim(), text.slice(equals + 1).trim())
  }
  return parameters
}

/**
 * The parameters after the type: `;name=value`, quoted or not, and an optional final `;`. Blanks match in one way only,
 * so matching takes linear time.
 */
const parameterSyntax = /^[^;]*(?:;\s*[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")\s*)*(?:;\s*)?$/

/**
 * Returns the encoding of a request's body from its Content-Type; JSON when absent. Called before the body is read.
 * Throws ApiError 415. The patch verb handles patch types itself.
 */
export function bodyMedia(contentType: string | undefined, options: { vendor: Vendor; compact?: boolean }): Media {
  if (contentType === undefined || contentType === "" || contentType === "application/json") return "json"
  const types = mediaTypes(options)
  const media = types.get(mediaTypeOf(contentType))
  if (media === undefined || !parameterSyntax.test(contentType)) throw unsupportedMediaType([...types.keys()])
  return media
}

/** The bare media type of a Content-Type header, in lower case: `application/json`. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
}

/**
 * Whether JSON is indented: `?pretty=` decides when it has a value; otherwise tools for people get it by default. A
 * value that is not a boolean counts as false, as in the reference.
 */
export function wantsPretty(options: { query: URLSearchParams; userAgent: string | undefined; negotiated?: Negotiated }): boolean {
  const asked = options.query.get("pretty") ?? ""
  if (asked !== "") return /^(1|t|T|true|TRUE|True)$/.test(asked)
  if (options.negotiated?.pretty === true) return true
  return /^(curl|Wget|Mozilla\/5\.0)/.test(options.userAgent ?? "")
}

/**
 * Whether a response of this size is compressed; `bytes` may be an estimate. The reference accepts `gzip` only without
 * a quality.
 */
export function acceptsGzip(acceptEncoding: string | readonly string[] | undefined): boolean {
  return listsGzip(typeof acceptEncoding === "string" ? acceptEncoding : (acceptEncoding ?? []).join(","))
}

const listsGzip = memoize((text) => text.split(",").some((token) => token.trim() === "gzip"))
