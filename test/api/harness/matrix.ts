/**
 * The format of `test/api/kinds/matrix`: per kind valid objects, and the values that the server must refuse, fill in or
 * show. README.md of `test/api` describes each word; every word is checked.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { changed, has, parentOf } from "./field-paths.ts"
import { isFields, type Fields } from "./scenario.ts"
import { readValues } from "./yaml-values.ts"

/** The server's objection to a value: the cause's reason after `FieldValue`. */
export const refusals = ["Required", "Invalid", "NotSupported", "Duplicate", "Forbidden", "TooLong", "TooMany", "NotFound"] as const
export type Refusal = (typeof refusals)[number]

/** One change of a valid object, and its outcome. */
export interface Row {
  /**
   * `done`: the write is done, and all values of `set` are there. `kept`: it is done and this value stays as it was.
   * `BadRequest`: status 400.
   */
  readonly outcome: Refusal | "done" | "kept" | "BadRequest"
  /** Path of the cause, or of the value that changes or is kept. */
  readonly field: string
  /** Paths and their new values; null takes a value away. */
  readonly set: Fields
  /** The object to change; default the first that has the parents of all paths. */
  readonly of?: string
  /** A part of the message. */
  readonly says?: string
  /** All values that the message of NotSupported names. */
  readonly values?: readonly string[]
  /** The path in the catalog where it differs from `field` with `[*]` for indices. */
  readonly fact?: string
  /** Number of facts of this path and reason that the row proves; default 1. */
  readonly proves: number
}

export interface Part {
  readonly name: string
  /** Valid objects by name; the first has as little as possible. */
  readonly objects: Readonly<Record<string, Fields>>
  /** Changes of an object that create refuses. */
  readonly refused: readonly Row[]
  /** Values at the ends of ranges, by path. */
  readonly accepts: Readonly<Record<string, readonly unknown[]>>
  /** Values that the server puts at paths which the client left out. */
  readonly defaults: readonly Default[]
  /** Facts of the catalog without a row, `<reason> <path>`, and why. */
  readonly unproved: Readonly<Record<string, string>>
}

/** A value that is left out, and the server's default for it. */
export interface Default {
  readonly path: string
  readonly value: unknown
  readonly set: Fields
  readonly of?: string
}

/** A type that several kinds contain. */
export interface SharedPart extends Part {
  /** Places to put it: kind, object, path. */
  readonly hosts: readonly Host[]
  /** The sub-resource that writes it; default the object itself. */
  readonly through?: string
}

export interface Host {
  readonly kind: string
  readonly object: string
  readonly path: string
  /** The path in causes where it differs. */
  readonly reportedAt?: string
}

export interface KindPart extends Part {
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  /** The server stores the kind; otherwise it only answers it. */
  readonly stored: boolean
  /** Changes of a stored object. */
  readonly changes: readonly Row[]
  readonly status?: { readonly of: string; readonly sets: Fields; readonly refused: readonly Row[] }
  /** Columns: `Name`, `Replicas/integer`, `Node*` for a wide one. */
  readonly columns: readonly string[]
  readonly row?: { readonly of: string; readonly cells: readonly unknown[] }
  /** Verbs by name, in the order of discovery. */
  readonly subresources: Readonly<Record<string, string>>
  /** Sent paths that the server does not keep, and why. */
  readonly drops: Readonly<Record<string, string>>
}

export interface Matrix {
  readonly kinds: readonly KindPart[]
  readonly shared: readonly SharedPart[]
}

const partKeys = ["objects", "refused", "accepts", "defaults", "unproved"]
const kindKeys = [...partKeys, "resource", "cluster", "stored", "changes", "status", "columns", "row", "subresources", "drops"]
const rowKeys = ["is", "at", "set", "of", "says", "values", "fact", "proves"]

/** Reads every file of a folder. Throws an Error with the file and the place that it cannot read. */
export function loadMatrix(dir: string): Matrix {
  const kinds: KindPart[] = []
  const shared: SharedPart[] = []
  const parts = readdirSync(dir)
    .filter((file) => file.endsWith(".yaml"))
    .flatMap((file) => Object.entries(read(join(dir, file))))
  const fixtures = new Map(parts.flatMap(([name, part]) => (name.startsWith("shared ") ? objectsOf(name, part) : [])))
  for (const [name, part] of parts) {
    if (!isFields(part)) throw new Error(`${name}: expected a mapping`)
    if (name.startsWith("shared ")) shared.push(sharedOf(name, part, fixtures))
    else kinds.push(kindOf(name, part, fixtures))
  }
  return { kinds, shared }
}

function read(file: string): Fields {
  const value = readValues(readFileSync(file, "utf8"), file)
  if (!isFields(value)) throw new Error(`${file}: expected a mapping of kinds`)
  return value
}

function objectsOf(name: string, part: unknown): [string, unknown][] {
  if (!isFields(part) || !isFields(part.objects)) return []
  return Object.entries(part.objects).map(([object, value]) => [`=${name.slice("shared ".length)} ${object}`, value])
}

/** Replaces the text `=PodSpec full` by that object of the shared type. */
function resolved(value: unknown, fixtures: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string" && fixtures.has(value)) return resolved(fixtures.get(value), fixtures)
  if (Array.isArray(value)) return value.map((item: unknown) => resolved(item, fixtures))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolved(field, fixtures)]))
}

function partOf(name: string, part: Fields, fixtures: ReadonlyMap<string, unknown>): Part {
  const objects = resolved(part.objects ?? {}, fixtures)
  if (!isFields(objects)) throw new Error(`${name}: objects is a mapping`)
  return {
    name,
    objects: objects as Record<string, Fields>, // Checked when they are sent: a server decodes objects only.
    refused: rowsOf(resolved(part.refused, fixtures), `${name}: refused`),
    accepts: mapping(part.accepts, `${name}: accepts`) as Record<string, readonly unknown[]>, // Iterated; throws otherwise.
    defaults: defaultsOf(part.defaults, `${name}: defaults`),
    unproved: texts(part.unproved, `${name}: unproved`),
  }
}

function sharedOf(name: string, part: Fields, fixtures: ReadonlyMap<string, unknown>): SharedPart {
  checkKeys(part, [...partKeys, "hosts", "through"], name)
  const hosts = Array.isArray(part.hosts) ? part.hosts.map((host) => hostOf(String(host), name)) : []
  return { ...partOf(name, part, fixtures), hosts, ...(part.through !== undefined && { through: String(part.through) }) }
}

/** `core/v1 Pod least spec.containers[0]`, and perhaps the path in causes. */
function hostOf(text: string, where: string): Host {
  const [version, kind, object, path, reportedAt] = text.split(" ")
  if (version === undefined || kind === undefined || object === undefined || path === undefined)
    throw new Error(`${where}: a host is a kind, an object of it and a path, not ${text}`)
  return { kind: `${version} ${kind}`, object, path, ...(reportedAt !== undefined && { reportedAt }) }
}

function kindOf(name: string, part: Fields, fixtures: ReadonlyMap<string, unknown>): KindPart {
  checkKeys(part, kindKeys, name)
  const [version = "", kind = ""] = name.split(" ")
  const { status, row } = part
  return {
    ...partOf(name, part, fixtures),
    apiVersion: version.replace(/^core\//, ""),
    kind,
    resource: String(part.resource),
    namespaced: part.cluster !== true,
    stored: part.stored !== false,
    changes: rowsOf(resolved(part.changes, fixtures), `${name}: changes`),
    ...(isFields(status) && {
      status: {
        of: String(status.of ?? "full"),
        sets: mapping(resolved(status.sets, fixtures), `${name}: status.sets`),
        refused: rowsOf(resolved(status.refused, fixtures), `${name}: status`),
      },
    }),
    columns: Array.isArray(part.columns) ? part.columns.map(String) : [],
    ...(isFields(row) && Array.isArray(row.cells) && { row: { of: String(row.of ?? "full"), cells: row.cells } }),
    subresources: texts(part.subresources, `${name}: subresources`),
    drops: texts(part.drops, `${name}: drops`),
  }
}

function rowsOf(rows: unknown, where: string): Row[] {
  if (rows === undefined || rows === null) return []
  if (!Array.isArray(rows)) throw new Error(`${where}: expected a list of rows`)
  return rows.map((row: unknown, index) => rowOf(row, `${where} ${index + 1}`))
}

const outcomes = [...refusals, "done", "kept", "BadRequest"] as const

function rowOf(row: unknown, where: string): Row {
  if (!isFields(row)) throw new Error(`${where}: expected a mapping`)
  const [outcome, another] = outcomes.filter((each) => each in row)
  if (outcome === undefined || another !== undefined) throw new Error(`${where}: expected one of ${outcomes.join(", ")}`)
  checkKeys(row, [outcome, ...rowKeys], where)
  const field = String(row[outcome])
  if (outcome === "NotSupported" && !Array.isArray(row.values)) throw new Error(`${where}: NotSupported needs the values that are`)
  return {
    outcome,
    field,
    set: isFields(row.set) ? row.set : { [String(row.at ?? field)]: row.is ?? null },
    ...(row.of !== undefined && { of: String(row.of) }),
    ...(row.says !== undefined && { says: String(row.says) }),
    ...(Array.isArray(row.values) && { values: row.values.map(String) }),
    ...(row.fact !== undefined && { fact: String(row.fact) }),
    proves: typeof row.proves === "number" ? row.proves : 1,
  }
}

/** `{path: value}`, or `{path: {value, set, of}}` where the default depends on other fields. */
function defaultsOf(value: unknown, where: string): Default[] {
  return Object.entries(mapping(value, where)).map(([path, given]) => {
    const more = isFields(given) && "value" in given ? given : { value: given }
    checkKeys(more, ["value", "set", "of"], `${where}: ${path}`)
    return {
      // Keys of a mapping differ, so a second entry for a path ends with blanks.
      path: path.trim(),
      value: more.value,
      set: { [path.trim()]: null, ...(isFields(more.set) && more.set) },
      ...(typeof more.of === "string" && { of: more.of }),
    }
  })
}

/** The object of a part that a row is about, changed. Throws an Error when there is none. */
export function changedObject(objects: Readonly<Record<string, unknown>>, { of, set }: Pick<Row, "of" | "set">): unknown {
  return changed(objects[objectOf(objects, { of, set })], set)
}

/** The object's name: `of`, or else the first that has the parents of all paths. */
export function objectOf(objects: Readonly<Record<string, unknown>>, { of, set }: { of?: string | undefined; set: Fields }): string {
  const paths = Object.keys(set)
  const name = of ?? Object.keys(objects).find((each) => paths.every((path) => has(objects[each], parentOf(path))))
  if (name === undefined || objects[name] === undefined) throw new Error(`no object has the parents of ${paths.join(" and ")}`)
  return name
}

function mapping(value: unknown, where: string): Fields {
  if (value === undefined || value === null) return {}
  if (!isFields(value)) throw new Error(`${where}: expected a mapping`)
  return value
}

function texts(value: unknown, where: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(mapping(value, where)).map(([name, text]) => [name, String(text ?? "")]))
}

function checkKeys(fields: Fields, known: readonly string[], where: string): void {
  const strange = Object.keys(fields).find((key) => !known.includes(key))
  if (strange !== undefined) throw new Error(`${where}: ${strange} is none of ${known.join(", ")}`)
}
