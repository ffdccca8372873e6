/** Reads the compared parts of an answer: all but values that are different on each server and at each moment. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { HttpAnswer } from "../support/http-client.ts"
import type { FactOptions, Facts } from "./compared.ts"
import { partsOf } from "./split.ts"
import { fieldOf, isList, ordered } from "./values.ts"

/** Where the answer comes from. */
interface Origin {
  readonly port: number
  /** The beginning of a name that the server completes. */
  readonly generateName?: string
}

/** Times from this year on come from the run; earlier times were sent. */
const yearOfRecording = 2026
/** Characters of a text. */
const textMax = 2000
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const times = /(\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
const age = /^(?:(?:\d+[smhdy])+|<invalid>)$/

export function factsOf({ status: code, headers, body }: HttpAnswer, options: FactOptions, origin: Origin): Facts {
  const type = String(headers["content-type"] ?? "")
  const warnings = warningsOf(headers["warning"])
  const head = { code, ...(warnings.length > 0 && { warnings }), ...(options.type === true && { type }) }
  const isJson = type.includes("json") || (options.split !== undefined && body[0] === "{".charCodeAt(0))
  const text = body.toString("utf8")
  if (!isJson) return { ...head, text: options.notext === true ? null : [...settled(text, origin)].slice(0, textMax).join("") }
  if (options.watch === true)
    return {
      ...head,
      events: text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => eventOf(line, origin)),
    }
  return { ...head, ...documentOf(JSON.parse(text), code, options, origin) }
}

/** The texts of the Warning fields, which node joins. */
function warningsOf(field: string | string[] | undefined): string[] {
  if (field === undefined || field.length === 0) return []
  return String(field)
    .split(/, (?=299 - ")/)
    .map((warning) => (warning.startsWith('299 - "') && warning.endsWith('"') ? warning.slice(7, -1) : warning))
}

function documentOf(value: JsonObject, code: number, options: FactOptions, origin: Origin): Partial<Facts> {
  if (value["kind"] === "Status" && typeof value["status"] === "string") {
    const kept = ["reason", "message", "details", "status"].filter((name) => name in value)
    return { status: Object.fromEntries(kept.map((name) => [name, cleaned(value[name] ?? null, { origin })])) }
  }
  if (code === 200 && options.split !== undefined) return { split: partsOf(value, options.split, (part) => cleaned(part, { origin })) }
  if (value["kind"] === "Table") return { table: tableOf(value, origin) }
  if (options.names === true) {
    const { items, ...list } = value
    return { names: namesOf(items), list: cleaned(list, { origin }) }
  }
  return { object: cleaned(value, { origin, managed: options.managed === true }) }
}

function namesOf(items: JsonValue | undefined): string[] {
  const named = (isList(items) ? items : []).filter(
    (item) => fieldOf(item, "metadata", "namespace") !== undefined || !isOfCases(String(fieldOf(item, "metadata", "name"))),
  )
  return named.map((item) => String(fieldOf(item, "metadata", "name"))).sort()
}

/** Whether a case has made the object. */
export const isOfCases = (name: string): boolean => name.startsWith("rd-")

function eventOf(line: string, origin: Origin): JsonValue {
  const event = JSON.parse(line) as { readonly type: string; readonly object: JsonObject } // A line of a watch.
  if (event.type !== "BOOKMARK") return [event.type, cleaned(event.object, { origin })]
  return [event.type, event.object["kind"] ?? null, Object.keys(event.object).sort()]
}

function tableOf(table: JsonObject, origin: Origin): NonNullable<Facts["table"]> {
  const columns = isList(table["columnDefinitions"]) ? table["columnDefinitions"] : []
  const rows = isList(table["rows"]) ? table["rows"] : []
  const cellOf = (cell: JsonValue): JsonValue => {
    if (typeof cell !== "string") return cell
    return age.test(cell) ? "<age>" : cell.startsWith("10.0.0.") ? "<ip>" : settled(cell, origin)
  }
  return {
    columns: columns.map((column) => ["name", "type", "format", "priority"].map((name) => fieldOf(column, name) ?? null)),
    rows: ordered(rows.map((row) => (fieldOf(row, "cells") as JsonValue[]).map(cellOf))), // The format of a Table.
  }
}

interface Cleaning {
  readonly origin: Origin
  readonly managed?: boolean
}

/** The value without what each server chooses: uids, versions, current times, allocated addresses and ports, names. */
export function cleaned(value: JsonValue, how: Cleaning, key = ""): JsonValue {
  if (isList(value)) return value.map((item) => cleaned(item, how))
  if (isObject(value)) return cleanedObject(value, how, key)
  const { generateName, port } = how.origin
  if (value === port) return "<port>"
  if (typeof value !== "string") return value
  // Uids first: a short name may be followed by a text that looks like a suffix within one.
  const text = settled(value, how.origin)
  return generateName === undefined ? text : withoutSuffix(text, generateName)
}

function cleanedObject(object: JsonObject, how: Cleaning, key: string): JsonObject {
  const result: JsonObject = {}
  for (const [name, value = null] of Object.entries(object)) {
    if (name === "managedFields" && how.managed !== true) continue
    if (key === "metadata" && ["uid", "resourceVersion", "selfLink"].includes(name)) continue
    if (key === "metadata" && name === "creationTimestamp" && value !== null) continue
    result[name] = cleaned(placeholder(name, value, key, how.managed === true) ?? value, how, name)
  }
  return result
}

/** The placeholder of a value that the server chooses; undefined for any other value. */
function placeholder(name: string, value: JsonValue, key: string, managed: boolean): JsonValue | undefined {
  if (name === "clusterIP" && isServiceAddress(value)) return "<ip>"
  if (name === "clusterIPs" && isList(value) && isServiceAddress(value[0])) return ["<ip>"]
  if ((name === "nodePort" || name === "healthCheckNodePort") && typeof value === "number" && value >= 30_000 && value <= 33_000)
    return "<port>"
  if (name === "continue" && key === "metadata" && value !== null && value !== "") return "<token>"
  return name === "time" && managed && typeof value === "string" ? "<now>" : undefined
}

const isServiceAddress = (value: JsonValue | undefined): boolean => typeof value === "string" && value.startsWith("10.0.0.")

/** Characters to keep of a name that the server completes. */
const generatedMax = 58

function withoutSuffix(text: string, generateName: string): string {
  const suffix = /^[a-z0-9]{5}(?![A-Za-z0-9_])/
  const [first = "", ...others] = generateName === "" ? [text] : text.split(generateName.slice(0, generatedMax))
  let before = first
  for (const other of others)
    before += generateName.slice(0, generatedMax) + (/[A-Za-z0-9]$/.test(before) ? other : other.replace(suffix, "<5>"))
  return before
}

/** A text without the parts that depend on server and moment. Cuts off a Go diff at the end of a message. */
export function settled(text: string, { port }: Origin): string {
  return withoutDiff(
    text
      .replaceAll(`127.0.0.1:${port}`, "<server>")
      .replace(/kube-api-access-\w{5}/g, "kube-api-access-<5>")
      .replace(uuids, "<uid>")
      .replace(times, (time, year: string) => (Number(year) < yearOfRecording ? time : "<now>")),
  )
}

function withoutDiff(text: string): string {
  const found = /updates may not change fields|field is immutable/.exec(text)
  const end = found === null ? -1 : text.indexOf("\n", found.index)
  return end < 0 ? text : text.slice(0, end)
}
