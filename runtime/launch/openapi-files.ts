/**
 * The generated OpenAPI documents of built-in kinds and users' own kinds, merged by path. Read from disk on first use.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { sharedDefinitions, withSharedDefinitions } from "../base/shared-definitions.ts"
import { packageRoot } from "../package-root.ts"

/** JSON texts in neutral names, by path: `v2`, `v3/api/v1`, `v3/apis/apps/v1`. */
export type Documents = ReadonlyMap<string, () => Promise<Buffer>>

/** The documents of this package. */
export function builtInDocuments(): Documents {
  return documentsIn(join(packageRoot, "generated", "openapi"))
}

/** Called at start for each folder of generated code; the folder need not have documents. */
export function documentsIn(folder: string): Documents {
  const shared = `${sharedDefinitions}.json`
  const read = async (file: string): Promise<Buffer> => {
    const bytes = await readFile(join(folder, file))
    return Buffer.from(await withSharedDefinitions(bytes.toString(), () => readFile(join(folder, shared), "utf8")))
  }
  const files = documentFiles(folder).filter((file) => file !== shared)
  return new Map(files.map((file) => [file.replaceAll("\\", "/").slice(0, -".json".length), () => read(file)]))
}

function documentFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"))
  return files.toSorted()
}

/** The names of the documents with the times of their last change: equal while none has changed. */
export function documentTimes(folder: string): string {
  return documentFiles(folder)
    .map((file) => `${file} ${statSync(join(folder, file)).mtimeMs}\n`)
    .join("")
}

/** Merges documents of the same path: paths and schemas of all, other texts of the first. */
export function joinDocuments(all: readonly Documents[]): Documents {
  const joined = new Map<string, () => Promise<Buffer>>()
  for (const documents of all) {
    for (const [path, read] of documents) {
      const earlier = joined.get(path)
      joined.set(path, earlier === undefined ? read : async () => joinTexts(await earlier(), await read()))
    }
  }
  return joined
}

function joinTexts(first: Buffer, second: Buffer): Buffer {
  return Buffer.from(JSON.stringify(joinObjects(parseObject(first), parseObject(second))))
}

function parseObject(bytes: Buffer): JsonObject {
  const value: JsonValue = JSON.parse(bytes.toString())
  return isObject(value) ? value : {}
}

/** Lists to which each document adds its own: tags, and the kinds that share a definition. */
const unions: ReadonlySet<string> = new Set(["tags", "x-orch-group-version-kind"])

/** Merges objects by name; of other values the first stays. */
function joinObjects(first: JsonObject, second: JsonObject): JsonObject {
  const result: JsonObject = { ...first }
  for (const [name, value] of Object.entries(second)) result[name] = joinValues(name, first[name], value)
  return result
}

function joinValues(name: string, first: JsonValue | undefined, second: JsonValue | undefined): JsonValue | undefined {
  if (first === undefined) return second
  if (isObject(first) && isObject(second)) return joinObjects(first, second)
  return unions.has(name) && Array.isArray(first) && Array.isArray(second) ? joinLists(first, second) : first
}

/** The items of both, each once. Operations have tags too, whose lists are equal. */
function joinLists(first: readonly JsonValue[], second: readonly JsonValue[]): JsonValue[] {
  const known = new Set(first.map((item) => JSON.stringify(item)))
  return [...first, ...second.filter((item) => !known.has(JSON.stringify(item)))]
}
