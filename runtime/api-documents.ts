/** The generated OpenAPI documents of the built-in kinds and of users' own, joined by path. Read from disk on first use. */
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "./kit/json.ts"
import { packageRoot } from "./package-root.ts"

/** By path: `v2`, `v3/api/v1`, `v3/apis/apps/v1`; JSON text, names neutral. */
export type Documents = ReadonlyMap<string, () => Promise<Buffer>>

/** Those that came with this package. */
export function builtInDocuments(): Documents {
  return documentsIn(join(packageRoot, "generated", "openapi"))
}

/** Called at start for each folder of generated code; a folder without documents is fine. */
export function documentsIn(folder: string): Documents {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"))
  return new Map(files.toSorted().map((file) => [file.replaceAll("\\", "/").slice(0, -".json".length), () => readFile(join(folder, file))]))
}

/** Documents of the same path become one: paths and schemas of all, the first one's words. */
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

/** Objects are joined name by name; of anything else the first stays. */
function joinObjects(first: JsonObject, second: JsonObject): JsonObject {
  const result: JsonObject = { ...first }
  for (const [name, value] of Object.entries(second)) {
    const before = result[name]
    result[name] = before === undefined ? value : isObject(before) && isObject(value) ? joinObjects(before, value) : before
  }
  return result
}
