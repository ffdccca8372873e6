/**
 * Probes of the differential. A probe is mostly one request, a dry run that changes nothing, or a life, in which an
 * object is created, written and deleted. Both can be sent again.
 */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Step } from "../real-answers/recorded.ts"
import { fieldOf, same } from "../real-answers/values.ts"
import type { SeededRandom } from "../sim/world/random.ts"
import { mutate, withoutEmptyInItems } from "./generate.ts"
import type { Kind } from "./kinds.ts"

export interface Probe {
  readonly kind: string
  readonly operation: string
  /** In their order. */
  readonly steps: readonly [Step, ...Step[]]
  /** Steps that remove the objects of the other steps. Absent: there are none. */
  readonly end?: readonly Step[]
}

const operations = ["create", "create", "update", "update", "status", "json", "merge", "strategic", "apply", "delete"] as const

/** The share of lives. */
const livesShare = 0.3

export function drawProbe(random: SeededRandom, kind: Kind): Probe {
  if (kind.stored !== undefined && kind.mayLive && random.chance(livesShare)) return drawLife(random, kind, kind.stored)
  const operation = kind.stored === undefined ? "create" : random.pick(operations)
  return { kind: kind.name, operation, steps: [stepOf(random, kind, operation)] }
}

/** Writes of a life after the creation, at most. */
const writesMax = 4
const writes = ["update", "status", "json", "merge", "strategic", "apply", "get"] as const

/** Each write starts from the created object, so that it may revert another one's changes. */
function drawLife(random: SeededRandom, kind: Kind, stored: NonNullable<Kind["stored"]>): Probe {
  const object = withoutGeneratedName(mutated(random, { ...kind, isLife: true }, renamed(random.pick(kind.bases))))
  const name = fieldOf(object, "metadata", "name")
  const path = `${kind.path}/${typeof name === "string" && name !== "" ? encodeURIComponent(name) : "none"}`
  const lasting = { ...kind, stored: { ...stored, path, object }, isLife: true }
  const create: Step = { m: "POST", p: `${kind.path}?fieldManager=differ-create`, b: object, managed: true }
  const later = Array.from({ length: 1 + random.integer(writesMax) }, () => {
    const operation = random.pick(writes)
    return operation === "get"
      ? { m: "GET", p: path, accept: random.pick(["application/json", table]) }
      : lastingStep(random, lasting, operation)
  })
  const deletion: Step[] = random.chance(0.3) ? [{ m: "DELETE", p: `${path}?${deletionOptions(random).slice(1)}` }] : []
  return { kind: kind.name, operation: "life", steps: [create, ...later, ...deletion], end: endOf(path) }
}

/** Finalizers would keep the object, and a deletion may add one for the garbage collector. */
function endOf(path: string): readonly Step[] {
  const release: Step = { m: "PATCH", p: path, ct: "merge", b: { metadata: { finalizers: null } } }
  return [release, { m: "DELETE", p: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` }]
}

/** The server would choose a name, and no step would delete the object. */
function withoutGeneratedName(object: JsonObject): JsonObject {
  const metadata = object["metadata"]
  if (!isObject(metadata) || (typeof metadata["name"] === "string" && metadata["name"] !== "")) return object
  const { generateName: _, ...others } = metadata
  return { ...object, metadata: others }
}

const table = "application/json;as=Table;v=v1;g=meta.k8s.io"

/** A write that is no dry run, by one of two managers. */
function lastingStep(random: SeededRandom, kind: Written, operation: (typeof operations)[number]): Step {
  const step = stepOf(random, kind, operation)
  const query = `?fieldManager=differ-${random.pick(["one", "two"])}${random.chance(0.1) ? "&dryRun=All" : ""}`
  return { ...step, p: step.p.replace("?dryRun=All&fieldManager=differ", query), managed: true }
}

interface Written extends Kind {
  /** Managed fields are compared. */
  readonly isLife?: boolean
}

function mutated(random: SeededRandom, { schemas, schema, isLife }: Written, object: JsonObject): JsonObject {
  const changed = mutate(random, schemas, object, schema)
  return isLife === true ? (withoutEmptyInItems(schemas, changed, schema) as JsonObject) : changed // An object stays one.
}

function stepOf(random: SeededRandom, kind: Written, operation: (typeof operations)[number]): Step {
  const query = `?dryRun=All&fieldManager=differ${random.chance(0.1) ? "&fieldValidation=Strict" : ""}`
  const { stored } = kind
  if (stored === undefined || operation === "create")
    return { m: "POST", p: kind.path + query, b: mutated(random, kind, renamed(random.pick(kind.bases))) }
  const changed = mutated(random, kind, stored.object)
  const whole = {
    ...changed,
    metadata: { ...(stored.object["metadata"] as JsonObject), ...(isObject(changed["metadata"]) && changed["metadata"]) },
  } // Of every object.
  if (operation === "update") return { m: "PUT", p: stored.path + query, b: whole, rv: true }
  if (operation === "status" && stored.hasStatus) return { m: "PUT", p: `${stored.path}/status${query}`, b: whole, rv: true }
  if (operation === "delete") return { m: "DELETE", p: `${stored.path}?dryRun=All${deletionOptions(random)}` }
  if (operation === "json") return { m: "PATCH", p: stored.path + query, ct: "json", b: jsonPatch(stored.object, whole) }
  if (operation === "apply")
    return { m: "PATCH", p: `${stored.path}${query}${random.chance(0.8) ? "&force=true" : ""}`, ct: "apply", b: whole }
  return { m: "PATCH", p: stored.path + query, ct: operation === "merge" ? "merge" : "strategic", b: mergePatch(stored.object, whole) }
}

/** Replaces the name, since the stored object has it. Keeps names with dots: they repeat parts of the object. */
function renamed(base: JsonObject): JsonObject {
  const metadata = base["metadata"]
  const name = isObject(metadata) ? metadata["name"] : undefined
  if (!isObject(metadata) || typeof name !== "string" || name.includes(".")) return base
  return { ...base, metadata: { ...metadata, name: `${name}-new` } }
}

/** All options are in the query: the real server does not read it, and so no `dryRun`, when there is a body. */
function deletionOptions(random: SeededRandom): string {
  const policy = random.pick(["Foreground", "Background", "Orphan", "Later"])
  return random.pick(["", `&propagationPolicy=${policy}`, `&gracePeriodSeconds=${random.pick([0, 1, -1, 5])}`, "&orphanDependents=true"])
}

/** Operations that make `after` of `before`, one for each field that is different. */
export function jsonPatch(before: JsonObject, after: JsonObject, pointer = ""): JsonValue[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): JsonValue[] => {
    const [one, other] = [before[name], after[name]]
    const path = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (other === undefined) return [{ op: "remove", path }]
    if (isObject(one) && isObject(other)) return jsonPatch(one, other, path)
    return same(one, other) ? [] : [{ op: one === undefined ? "add" : "replace", path, value: other }]
  })
}

/** The merge patch that makes `after` of `before`. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]]
    if (other === undefined) patch[name] = null
    else if (isObject(one) && isObject(other)) {
      const inner = mergePatch(one, other)
      if (Object.keys(inner).length > 0) patch[name] = inner
    } else if (!same(one, other)) patch[name] = other
  }
  return patch
}
