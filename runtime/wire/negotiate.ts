/**
 * Which representation a request asks for and which one it carries; specification section 4.7. Behaviour of the reference: a clause of
 * `Accept` whose media type is known but whose parameters cannot be met falls through to the next clause; media types are
 * compared as they are written; parameters that mean nothing here are ignored.
 */
import { ApiError, badRequest, notAcceptable, unsupportedMediaType } from "../errors.ts"
import { remembered } from "../kit/remembered.ts"
import { trimmed } from "../kit/trim.ts"
import { acceptCharactersMax, acceptTypesMax } from "../limits.ts"
import type { Vendor } from "../vendor.ts"

/** A representation of objects, as bodies are written and read. */
export type Media = "json" | "yaml" | "compact"

/** Another form of the answer, asked for with `as=`. */
export interface Rendering {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList"
  /** Neutral. */
  readonly group: string
  readonly version: string
}

export interface Negotiated {
  readonly media: Media
  readonly as?: Rendering
  /** The client wrote `stream=watch`. */
  readonly stream: boolean
  /** `pretty=1` in Accept. */
  readonly pretty: boolean
  /** For the Content-Type header of the answer. */
  readonly contentType: string
}

export interface NegotiateOptions {
  readonly vendor: Vendor
  /** False for run-time definitions: they have no compact form. */
  readonly compact?: boolean
  /** Watches are answered as frames: YAML has none. */
  readonly watch?: boolean
  /** The path is one that may be watched: a refusal names the streams too. */
  readonly collection?: boolean
  /** The answer is a failure: a wildcard is enough, where other answers want to be called by a name first. */
  readonly failure?: boolean
  /** What `as=` may ask for: forms of objects (the default), aggregated discovery, or nothing. */
  readonly renderings?: "objects" | "discovery" | "none"
}

/** Media types in the order in which they are offered; a wildcard answers the first. */
function mediaTypes(options: { vendor: Vendor; compact?: boolean }): Map<string, Media> {
  const types: [string, Media][] = [
    ["application/json", "json"],
    ["application/yaml", "yaml"],
  ]
  if (options.compact !== false) types.push([options.vendor.compactMediaType, "compact"])
  return new Map(types)
}

/**
 * Called once per request with its Accept header, before any work is done. Throws ApiError 406 that lists what is supported: with
 * `details` when no media type fits at all, without when only parameters do not fit, as the reference does.
 */
export function negotiate(accept: string | undefined, options: NegotiateOptions): Negotiated {
  const { vendor, compact = true, watch = false, failure = false, renderings: offered = "objects" } = options
  const question = (compact ? 1 : 0) + (watch ? 2 : 0) + (failure ? 4 : 0) + (options.collection === true ? 8 : 0) + places[offered]
  const answers = known.get(vendor) ?? answersOf(vendor)
  answers[question] ??= remembered((text) => negotiateAnew(text, options))
  return answers[question](accept ?? "")
}

/** What is asked with the same options is asked with the same header again and again. */
const known = new WeakMap<Vendor, Answers>()
type Answers = ((accept: string) => Negotiated)[]

function answersOf(vendor: Vendor): Answers {
  const answers: Answers = []
  known.set(vendor, answers)
  return answers
}

const places = { objects: 0, discovery: 16, none: 32 }

function negotiateAnew(accept: string, options: NegotiateOptions): Negotiated {
  const types = mediaTypes(options)
  const clauses = parseAccept(accept === "" ? "*/*" : accept)
  // The reference looks for a name it knows first: `application/*` and `*` count only beside one.
  if (options.failure !== true && !clauses.some(({ written }) => written === "*/*" || types.has(written)))
    throw noKnownType([...types.keys()], options.collection === true)
  for (const clause of clauses) {
    const media = clause.type === "*/*" || clause.type === "application/*" ? "json" : types.get(clause.type)
    const negotiated = media === undefined ? undefined : fit(media, clause.parameters, options)
    // YAML has no frames; the reference does not look for another clause then.
    if (negotiated?.media === "yaml" && options.watch === true) break
    if (negotiated !== undefined) return negotiated
  }
  throw notAcceptable(options.watch === true ? streams([...types.keys()]) : [...types.keys()])
}

function noKnownType(types: readonly string[], collection: boolean): ApiError {
  const offered = collection ? [...types, ...streams(types)] : types
  return new ApiError(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`, {})
}

function streams(types: readonly string[]): readonly string[] {
  return types.filter((type) => type !== "application/yaml").map((type) => `${type};stream=watch`)
}

/** One clause with a known media type; undefined when its parameters cannot be met. */
function fit(media: Media, parameters: ReadonlyMap<string, string>, options: NegotiateOptions): Negotiated | undefined {
  const stream = parameters.get("stream") ?? ""
  if ((stream !== "" && stream !== "watch") || (media === "yaml" && stream !== "")) return undefined
  const serverVersion = parameters.get("sv") ?? ""
  if (serverVersion !== "" && (serverVersion !== "v1" || options.renderings !== undefined)) return undefined
  const as = rendering(parameters, options)
  if (as === "unknown" || (as?.kind === "Table" && media === "compact")) return undefined
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

/** Any of the three parameters asks for a rendering; undefined: none does. */
function rendering(parameters: ReadonlyMap<string, string>, options: NegotiateOptions): Rendering | "unknown" | undefined {
  const [kind, written, version] = ["as", "g", "v"].map((name) => parameters.get(name) ?? "")
  if (kind === "" && written === "" && version === "") return undefined
  const group = options.vendor.neutralGroup(written ?? "")
  const offered = renderings[options.renderings ?? "objects"]
  return offered.find((one) => one.kind === kind && one.group === group && one.version === version) ?? "unknown"
}

/**
 * Called once the answer is known to be one object or a list: a rendering made for the other is not acceptable. `kind` is what there is:
 * `ConfigMapList`. Throws ApiError 406.
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
  /** `*` stands for any type at all. */
  readonly type: string
  readonly written: string
  readonly quality: number
  /** 0 for `*`, 1 for a type with any sub-type, 2 for a full one. */
  readonly exactness: number
  readonly parameters: ReadonlyMap<string, string>
}

/** What the commas of an `Accept` header are between. Called by all that read one. Throws ApiError 400 for more than any client sends. */
export function acceptClauses(text: string): readonly string[] {
  if (text.length > acceptCharactersMax)
    throw badRequest(`header Accept: ${text.length} characters, at most ${acceptCharactersMax} are read: name fewer media types`)
  const clauses = text.split(",", acceptTypesMax + 1)
  if (clauses.length > acceptTypesMax) throw badRequest(`header Accept: more than ${acceptTypesMax} media types: name fewer`)
  return clauses
}

/** Clauses by quality, then by how exact they are, then in their own order. */
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
 * What may stand behind the type: `;name=value`, with the value in quotes or not, and a last `;`. There is one way only to read blanks, so that it
 * takes linear time.
 */
const parameterSyntax = /^[^;]*(?:;\s*[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")\s*)*(?:;\s*)?$/

/**
 * The representation of a request's body, from its Content-Type; none is JSON. Called before the body is read. Throws ApiError 415.
 * Patch types are the patch verb's business.
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
 * Whether JSON is laid out for people: `?pretty=` decides when it has a value, else people's tools get it without asking. A value that is no
 * boolean counts as false, as in the reference.
 */
export function wantsPretty(options: { query: URLSearchParams; userAgent: string | undefined; negotiated?: Negotiated }): boolean {
  const asked = options.query.get("pretty") ?? ""
  if (asked !== "") return /^(1|t|T|true|TRUE|True)$/.test(asked)
  if (options.negotiated?.pretty === true) return true
  return /^(curl|Wget|Mozilla\/5\.0)/.test(options.userAgent ?? "")
}

/** Whether an answer of this size is compressed; `bytes` may be an estimate. The reference takes `gzip` only without a quality. */
export function acceptsGzip(acceptEncoding: string | readonly string[] | undefined): boolean {
  return listsGzip(typeof acceptEncoding === "string" ? acceptEncoding : (acceptEncoding ?? []).join(","))
}

const listsGzip = remembered((text) => text.split(",").some((token) => token.trim() === "gzip"))
