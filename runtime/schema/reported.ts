/**
 * How failures are reported: the words of a schema's `failures`, and the paths that failures name. Data, read only when
 * something fails. The reference words many failures by hand, and names some at a path that no field has.
 */
import type { Failure, Failures, FailureType } from "../base/failure.ts"
import type { JsonValue } from "../base/json.ts"

/** How a schema reports one kind of failure. Parts that it leaves out are reported as the constraint does. */
export interface FailureForm {
  readonly reason?: FailureType
  /** Replaces the text; several faults of one value are then reported once. */
  readonly message?: string
  /**
   * The path in place of the field's own, from the value that has the field: `mode`, `.` for that value itself,
   * `../mode` for the same without the last step of its path. `[]` stands for the index or key.
   */
  readonly at?: string
  /** Shown in place of the value. */
  readonly value?: JsonValue
  /** The message says nothing of the value. */
  readonly omitValue?: true
  /** In place of the values of the enum, in this order. */
  readonly supported?: readonly string[]
}

/** Keywords of a field besides its limits whose failures `failures` may word. */
export const presenceWords = ["required", "nonEmpty", "requiredOn", "immutable", "unique", "listType"] as const
export type PresenceWord = (typeof presenceWords)[number]

/** Where failures go: a `CheckContext`. */
export interface Reporter {
  readonly failures: Failures
  at(below: string): string
}

/** The place and the content of a failure before the words of a schema replace them. */
interface Plain extends Omit<Failure, "field" | "supported" | "omitValue"> {
  readonly omitValue?: true | undefined
  readonly supported?: readonly string[] | undefined
  /** The path of the field from the value that has it. */
  readonly path: string
  /** The index or key below it. */
  readonly step?: string | number | undefined
  /** Path after the step: `.name`. */
  readonly rest?: string
}

/** Adds a failure, in the words of `form` where it has some. */
export function addFailure(context: Reporter, form: FailureForm | undefined, { path, step, rest = "", ...plain }: Plain): void {
  const own = step === undefined ? path : `${path}[${step}]${rest}`
  const { reason: type = plain.type, message: detail = plain.detail, at, value = plain.value } = form ?? {}
  const { supported = plain.supported, omitValue = plain.omitValue } = form ?? {}
  const field = context.at(at === undefined ? own : at.replace("[]", step === undefined ? "" : `[${step}]`))
  // These never show a value, which may be long or secret.
  const shown = type === "Required" || type === "Forbidden" ? {} : { value }
  const omit = omitValue === true ? { omitValue } : {}
  context.failures.add({ type, field, ...shown, ...omit, detail, ...(type === "NotSupported" && supported !== undefined && { supported }) })
}

/**
 * Joins a path and one below it: `spec` and `ports[0]`. A path that begins with `./` or is `.` is below it too, and
 * `../` drops the last step of the first one: `spec.taints[0]` and `../effect` make `spec.taints.effect`.
 */
export function joinPaths(path: string, below: string): string {
  if (below === "" || below === ".") return path
  if (below === "..") return parentOf(path)
  if (below.startsWith("./")) return joinPaths(path, below.slice(2))
  if (below.startsWith("../")) return joinPaths(parentOf(path), below.slice(3))
  return path === "" || below.startsWith("[") ? path + below : `${path}.${below}`
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(path.endsWith("]") ? "[" : ".")))
}
