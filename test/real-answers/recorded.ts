/**
 * The recorded cases, and the answers of kube-apiserver 1.30.14. They are kept compressed: `cases.json.br` has the
 * requests, `answers.json.br` the answers of a server with NamespaceLifecycle as its only admission plugin,
 * `answers-default.json.br` the answers that differ with the plugins that run by default.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { FactOptions, Facts } from "./compared.ts"

/** A list of keys and indices. -1 appends to a list. */
type Path = readonly (string | number)[]
type Edit = readonly ["set", Path, JsonValue] | readonly ["del", Path]

/** A body: a document, or a base of the group with edits. A text is sent as it is. */
export type Body = JsonValue | { readonly $base: string; readonly ops?: readonly Edit[] }

export interface Step extends FactOptions {
  /** Method. */
  readonly m: string
  /** Path with its query. */
  readonly p: string
  /** Body. */
  readonly b?: Body
  /** `json`, `merge`, `strategic`, `apply`, or a media type. JSON when absent. */
  readonly ct?: string
  readonly accept?: string
  /** The user to impersonate. */
  readonly as?: string
  /** A bearer token in place of the administrator's. Empty for none. */
  readonly token?: string
  /** Puts the stored object's version into the body. A text is the path to read it at. */
  readonly rv?: boolean | string
  /** Edits of the stored object, which make the body. */
  readonly live?: readonly Edit[] | null
}

export interface Case {
  /** `Group/operation/field`. */
  readonly id: string
  /** Stores objects that other cases of the group need. */
  readonly always?: boolean
  readonly steps: readonly Step[]
}

export interface Group {
  readonly group: string
  readonly bases?: Readonly<Record<string, JsonObject>>
  /** Requests before the group's first case. */
  readonly setup?: readonly Step[]
  /** The group runs alone, before the others. */
  readonly first?: boolean
  readonly cases: readonly Case[]
}

export type Profile = "bare" | "default"

/** An answer as it is kept: the object may be the difference from an earlier answer's object. */
interface StoredFacts extends Omit<Facts, "object"> {
  readonly object?: JsonValue
  readonly like?: readonly [string, number]
  readonly delta?: readonly Delta[]
}
type Delta = readonly [Path] | readonly [Path, JsonValue]
type Stored = Readonly<Record<string, readonly StoredFacts[]>>

const fileOf = (name: string): URL => new URL(`${name}.json.br`, import.meta.url)

function load(name: string): unknown {
  return JSON.parse(brotliDecompressSync(readFileSync(fileOf(name))).toString("utf8"))
}

/** Writes one of the three files. The same value gives the same bytes. */
export function save(name: "cases" | "answers" | "answers-default", value: unknown): void {
  const text = Buffer.from(JSON.stringify(value))
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  writeFileSync(fileOf(name), brotliCompressSync(text, { params }))
}

export function recordedGroups(): readonly Group[] {
  return (load("cases") as { readonly groups: readonly Group[] }).groups // The format of the file.
}

/** The recorded answers by the id of their case, one for each step. */
export function recordedAnswers(profile: Profile): Readonly<Record<string, readonly Facts[]>> {
  const stored = load(profile === "bare" ? "answers" : "answers-default") as Stored // The format of the files.
  const whole = (one: StoredFacts): Facts => {
    const { like, delta, ...rest } = one
    if (like === undefined || delta === undefined) return rest
    return { ...rest, object: applyDelta(stored[like[0]]?.[like[1]]?.object ?? null, delta) }
  }
  return Object.fromEntries(Object.entries(stored).map(([id, answers]) => [id, answers.map(whole)]))
}

/** Adds cases of a group with their answers of the bare profile. Replaces a case with the same id. */
export function addRecorded(added: readonly Group[], answers: Readonly<Record<string, readonly Facts[]>>): void {
  let groups = recordedGroups()
  for (const group of added) {
    const fresh = new Set(group.cases.map(({ id }) => id))
    const before = groups.find((one) => one.group === group.group)
    const merged = { ...before, ...group, cases: [...(before?.cases ?? []).filter(({ id }) => !fresh.has(id)), ...group.cases] }
    groups = before === undefined ? [...groups, merged] : groups.map((one) => (one === before ? merged : one))
  }
  // All at once: it takes long to compress them.
  save("cases", { groups })
  save("answers", { ...(load("answers") as Stored), ...answers }) // The format of the file.
}

/**
 * The cases that `npm test` sends: of all groups, the cases whose id has a small digest, and cases that others need.
 * Small groups are taken whole.
 */
export function subsetOf(groups: readonly Group[], share: number): readonly Group[] {
  return groups.map((group) => {
    const chosen = group.cases.filter(({ id, always }) => always === true || group.cases.length <= smallGroup || digest(id) < share)
    return { ...group, cases: chosen }
  })
}

const smallGroup = 30

/** A number from 0 to below 1. */
function digest(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32BE(0) / 2 ** 32
}

/** The document to send. */
export function bodyOf(body: Body | undefined, bases: Group["bases"]): JsonValue | undefined {
  if (!isObject(body) || typeof body["$base"] !== "string") return body as JsonValue | undefined // No base: a document.
  const { $base, ops = [] } = body as unknown as { $base: string; ops?: readonly Edit[] } // As the line above found.
  const base = bases?.[$base]
  if (base === undefined) throw new Error(`there is no base ${$base}`)
  return edited(base, ops)
}

/** A copy of the value with the edits. */
export function edited(value: JsonValue, edits: readonly Edit[]): JsonValue {
  const copy = structuredClone(value)
  for (const [operation, path, set] of edits) {
    let at = copy as Container // Edits name fields and items of what is there.
    for (const key of path.slice(0, -1)) {
      const inner = at[key] ?? {}
      at[key] = inner
      at = inner as Container // The same.
    }
    const last = path.at(-1) ?? ""
    if (operation === "del" && !Array.isArray(at)) delete at[last]
    else if (operation === "del") (at as unknown as JsonValue[]).splice(Number(last), 1)
    else if (last === -1) (at as unknown as JsonValue[]).push(set ?? null)
    else at[last] = structuredClone(set ?? null)
  }
  return copy
}

type Container = Record<string | number, JsonValue>

function applyDelta(value: JsonValue, delta: readonly Delta[]): JsonValue {
  let whole = structuredClone(value)
  for (const [path, set] of delta) {
    if (path.length === 0) whole = set ?? null
    else whole = edited(whole, [set === undefined ? ["del", path] : ["set", path, set]])
  }
  return whole
}

/** False for a case whose answer depends on a controller elsewhere, or on the time of the store's compaction. */
export function isCompared({ id }: Case): boolean {
  return !id.includes("namespaces//") && id !== "decisions/writer bind view" && !/^lists\/.* resourceVersion=1(?:&|$)/.test(id)
}
