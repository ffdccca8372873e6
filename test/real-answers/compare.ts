/**
 * Compares an answer with the real server's. A message may go on after the real one's text. The words of faults of
 * decoding are not compared. Deviations of all kinds alike, as in `docs/DEVIATIONS.md`, are no differences here: codes
 * of a client's mistakes that are 500 there, the cause of a JSON patch, the spelling of `matchResources`, `downwardAPI`
 * and `cephfs`.
 */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Facts, Parts } from "./compared.ts"
import { inOrder } from "./split.ts"
import { beginsWith, isOfDecoding, textClass, withoutValue } from "./texts.ts"
import { canonical, fieldOf, isList, leaves, ordered, same } from "./values.ts"

/** One difference of two answers. The class is the same for differences of one sort. */
export interface Difference {
  readonly class: string
  readonly real: unknown
  readonly ours: unknown
  /** Of a document that is compared in parts: the part. */
  readonly part?: string
}

interface Cause {
  readonly field?: string
  readonly reason?: string
  readonly message?: string
}

/** Limits for the reported differences of one object and one table: they tend to have one reason. */
const leavesMax = { object: 4, table: 3 }

export function differences(real: Facts, ours: Facts): Difference[] {
  if (isBetterCode(real, ours)) return []
  if (real.code !== ours.code) return [{ class: `code ${real.code} here ${ours.code}`, real: brief(real), ours: brief(ours) }]
  return [
    ...(real.status === undefined && ours.status === undefined ? [] : statusDifferences(real, ours)),
    ...warningDifferences(real.warnings ?? [], ours.warnings ?? []),
    ...partDifferences(real.split, ours.split),
    ...leafDifferences(real, ours),
    ...(["names", "list", "events", "text", "type"] as const)
      .filter((name) => !same(real[name], ours[name]))
      .map((name) => ({ class: name, real: real[name], ours: ours[name] })),
  ]
}

function isBetterCode(real: Facts, ours: Facts): boolean {
  const refused = real.code === 500 && [400, 409, 422].includes(ours.code)
  const text = real.status?.["message"]
  return refused && (beginsWith(ours.status?.["message"], text) || isOfDecoding(text))
}

function statusDifferences(real: Facts, ours: Facts): Difference[] {
  const [a, b] = [real.status ?? {}, ours.status ?? {}]
  const found: Difference[] = []
  const note = (name: string, one: JsonValue | undefined, other: JsonValue | undefined): void => {
    if (!same(one, other)) found.push({ class: name, real: one, ours: other })
  }
  note("reason", a["reason"], b["reason"])
  for (const name of ["name", "group", "kind", "retryAfterSeconds"])
    note(`details.${name}`, fieldOf(a, "details", name), fieldOf(b, "details", name))
  const causes = causesOf(a)
  const compared = causeDifferences(causes, causesOf(b))
  return [...found, ...compared, ...messageDifferences(real.code, a, b, found.length + compared.length > 0)]
}

const wellSpelled = (text: string): string =>
  text.replaceAll("matchResouces", "matchResources").replaceAll("].downwarAPI", "].downwardAPI").replaceAll(".cephFS", ".cephfs")

function causesOf(status: JsonObject): Cause[] {
  const causes = fieldOf(status, "details", "causes")
  return isList(causes) ? (JSON.parse(wellSpelled(JSON.stringify(causes))) as Cause[]) : [] // The format of a Status.
}

function causeDifferences(real: readonly Cause[], all: readonly Cause[]): Difference[] {
  const rest = real.length > 0 ? [...all] : all.filter(({ field }) => field !== "patch")
  const missing: Cause[] = []
  const texts: { cause: Cause; other: Cause }[] = []
  for (const cause of real) {
    const alike = rest.filter((other) => other.field === cause.field && other.reason === cause.reason)
    const other = alike.find(({ message = "" }) => beginsWith(message, cause.message ?? "")) ?? alike[0]
    if (other === undefined) {
      missing.push(cause)
      continue
    }
    rest.splice(rest.indexOf(other), 1)
    if (!beginsWith(other.message ?? "", cause.message ?? "")) texts.push({ cause, other })
  }
  const [first] = texts
  return [
    ...(missing.length + rest.length > 0 ? [{ class: causeClass(missing, rest), real: missing, ours: rest }] : []),
    ...(first === undefined
      ? []
      : [
          { class: `cause text: ${textClass(first.cause.message ?? "", first.other.message ?? "")}`, real: first.cause, ours: first.other },
        ]),
  ]
}

function causeClass(real: readonly Cause[], ours: readonly Cause[]): string {
  if (ours.length === 0) return "causes: missing"
  if (real.length === 0) return "causes: more"
  const sorted = (causes: readonly Cause[], of: (cause: Cause) => string | undefined): (string | undefined)[] => causes.map(of).sort()
  if (real.length !== ours.length) return "causes: other"
  const field = ({ field: name }: Cause): string | undefined => name
  if (same(real.map(field), ours.map(field))) return "causes: other reason for the same field"
  const words = ({ message = "" }: Cause): string => withoutValue(message)
  if (same(sorted(real, words), sorted(ours, words))) return "causes: other field, same words"
  const reason = ({ reason: name }: Cause): string | undefined => name
  return same(sorted(real, reason), sorted(ours, reason)) ? "causes: other field" : "causes: other"
}

/** The message repeats the causes, so it is compared if there are none; otherwise it shows their order. */
function messageDifferences(code: number, real: JsonObject, ours: JsonObject, differs: boolean): Difference[] {
  const [a, b] = [causesOf(real), causesOf(ours)]
  const [text, other] = [wellSpelled(String(real["message"] ?? "")), String(ours["message"] ?? "")]
  const counted = b.filter(({ field }) => field !== "patch")
  if (beginsWith(other, text)) return []
  if (a.length === 0 && counted.length === 0)
    return code === 400 && isOfDecoding(text) && isOfDecoding(other)
      ? []
      : [{ class: "message", real: real["message"], ours: ours["message"] }]
  const fields = (causes: readonly Cause[]): string[] => causes.map(({ field = "" }) => field)
  const keys = (causes: readonly Cause[]): string[] => causes.map(({ field = "", reason = "" }) => canonical([field, reason])).sort()
  // Keys of maps come in random order there.
  const random = a.some(({ field = "" }) => /\[[^\d\]]/.test(field))
  const sameSet = a.length > 0 && !differs && same(keys(a), keys(b)) && !random
  return sameSet && !same(fields(a), fields(b)) ? [{ class: "order of causes", real: fields(a), ours: fields(b) }] : []
}

function warningDifferences(real: readonly string[], ours: readonly string[]): Difference[] {
  if (same(real, ours)) return []
  return [{ class: same([...real].sort(), [...ours].sort()) ? "warnings: order" : "warnings", real, ours }]
}

/** Parts that objects of the cases add; no recording has them. */
const ofCases = /(?:rd|agg)\.example\.com|com\.example\.rd/

function partDifferences(real: Parts | undefined, ours: Parts | undefined): Difference[] {
  if (real === undefined || ours === undefined) return real === ours ? [] : [{ class: "split", real, ours }]
  const names = [...new Set([...Object.keys(real), ...Object.keys(ours)])].filter((name) => !ofCases.test(name)).sort()
  return names.flatMap((name): Difference[] => {
    if (!Object.hasOwn(ours, name)) return [{ class: "split: missing here", real: name, ours: undefined, part: name }]
    if (!Object.hasOwn(real, name)) return [{ class: "split: only here", real: undefined, ours: name, part: name }]
    const [first] = leaves(inOrder(real[name] ?? null), inOrder(ours[name] ?? null))
    if (first === undefined) return []
    const where = `${name} ${first.path}`
    return [
      {
        class: `split: differs ${partLabel(name, first.path)}`,
        real: `${where}: ${JSON.stringify(first.real)}`,
        ours: first.ours,
        part: name,
      },
    ]
  })
}

/** Names facts of a schema or an operation by their sort, facts of other parts by their field. */
function partLabel(name: string, path: string): string {
  const general = withoutIndices(path)
  if (name.startsWith("schema ")) return `schema ${general.replace(/\.properties\.[\w$-]+/g, ".properties.*")}`
  return name.startsWith("path ") ? `path ${general.split("[")[0]}` : general
}

const withoutIndices = (path: string): string => path.replace(/\[\d+\]/g, "[]")

function leafDifferences(real: Facts, ours: Facts): Difference[] {
  const found: Difference[] = []
  if (isObject(real.object) && isObject(ours.object))
    for (const leaf of leaves(real.object, ours.object).slice(0, leavesMax.object))
      found.push({ class: `object ${withoutIndices(leaf.path)}`, real: leaf.real, ours: leaf.ours })
  else if (!same(real.object, ours.object)) found.push({ class: "object", real: real.object, ours: ours.object })
  if (real.table === undefined || ours.table === undefined)
    return real.table === ours.table ? found : [...found, { class: "table", real: real.table, ours: ours.table }]
  const settled = ({ columns, rows }: NonNullable<Facts["table"]>): JsonObject => ({
    columns: [...columns],
    ...(rows && { rows: ordered(rows) }),
  })
  for (const leaf of leaves(settled(real.table), settled(ours.table)).slice(0, leavesMax.table))
    found.push({ class: `table ${leaf.path.split(".")[1]?.split("[")[0]}`, real: leaf.real, ours: leaf.ours })
  return found
}

/** Summary of an answer, in a line. */
function brief(facts: Facts): unknown {
  if (facts.status !== undefined) return facts.status["message"]
  const { object, split: _split, ...rest } = facts
  return isObject(object) ? { ...rest, object: object["kind"] } : rest
}
