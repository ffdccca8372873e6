/** The parameters of requests: name, location and meaning. */

export interface ParameterFacts {
  readonly in: "path" | "query"
  readonly type: "string" | "integer" | "boolean"
  readonly description: string
}

/** A query parameter of a single path. */
export interface OptionFacts extends ParameterFacts {
  readonly name: string
}

function query(type: ParameterFacts["type"], description: string): ParameterFacts {
  return { in: "query", type, description }
}

/** By name. */
export const parameterFacts = {
  name: { in: "path", type: "string", description: "Name of the object." },
  namespace: { in: "path", type: "string", description: "Namespace that holds the object." },
  path: { in: "path", type: "string", description: "Path at the other end." },
  pretty: query("string", "With true the answer is indented for people."),
  allowWatchBookmarks: query("boolean", "Let a watch hold bookmark events, which say how far it has come. Ignored by other requests."),
  continue: query(
    "string",
    "The token of the page before, to go on where it ended. The other parameters must be those of that page; an old token is answered with 410 and a new one.",
  ),
  fieldSelector: query(
    "string",
    "Narrows the list of returned objects to those whose fields match, such as metadata.name=a. Default: all.",
  ),
  labelSelector: query("string", "Only objects whose labels match, such as app=a,tier in (b,c). Default: all."),
  limit: query(
    "integer",
    "The most objects to answer at once; the answer's metadata.continue leads to the rest. All pages show the state of the first. Ignored by watches.",
  ),
  resourceVersion: query(
    "string",
    "For a list the version to read at, for a watch the version to start after. Unset asks for the newest state, 0 for any state at hand.",
  ),
  resourceVersionMatch: query("string", "How resourceVersion binds a list: NotOlderThan or Exact."),
  sendInitialEvents: query(
    "boolean",
    "Begin a watch with the existing objects as added events, closed by a bookmark. Needs resourceVersionMatch=NotOlderThan.",
  ),
  timeoutSeconds: query("integer", "End the list or watch after this many seconds, whether idle or not."),
  watch: query("boolean", "Watch for changes to the described resources, as a stream, instead of answering once."),
  dryRun: query("string", "With All the request runs in full, but nothing is stored."),
  fieldManager: query(
    "string",
    "Name of who makes the change, at most 128 printable characters. Needed by apply patches; otherwise made from the user agent.",
  ),
  fieldValidation: query(
    "string",
    "What becomes of unknown and duplicate fields: Ignore drops them, Warn (the default) also sends a warning, Strict refuses the request.",
  ),
  force: query("boolean", "An apply patch takes over fields that other managers own. Only for apply patches."),
  gracePeriodSeconds: query("integer", "Seconds the object gets to end cleanly. Zero deletes at once, unset leaves it to the kind."),
  orphanDependents: query("boolean", "Deprecated, use propagationPolicy: whether dependents stay behind."),
  propagationPolicy: query("string", "What becomes of dependents: Orphan, Background or Foreground. Default: that of the kind."),
} as const satisfies Readonly<Record<string, ParameterFacts>>

export type ParameterName = keyof typeof parameterFacts

export const writeParameters: readonly ParameterName[] = ["dryRun", "fieldManager", "fieldValidation"]
export const patchParameters: readonly ParameterName[] = [...writeParameters, "force"]
export const deleteParameters: readonly ParameterName[] = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"]
const readCollection: readonly ParameterName[] = [
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
]
export const listParameters: readonly ParameterName[] = ["allowWatchBookmarks", ...readCollection, "watch"]
export const deleteCollectionParameters: readonly ParameterName[] = [...deleteParameters, ...readCollection]

/** Always inlined: clients look for these two inside each operation to detect the server's features. */
export const inlineParameters: ReadonlySet<ParameterName> = new Set<ParameterName>(["dryRun", "fieldValidation"])
