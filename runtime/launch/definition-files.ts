/** `--crd`: files of definitions, which a start installs before the server is ready. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join } from "node:path"
import { isObject, type JsonValue } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"
import type { StartDefinition } from "../controllers/definitions/install-definitions.ts"
import { definitionGroup } from "../definitions/definition-kind.ts"
import { parseYaml } from "../wire/yaml.ts"
import { StartError } from "../base/start-error.ts"

const extensions: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"])

/**
 * Reads the definitions of files, and of the files directly in folders, in the order of their names. A file may have
 * several YAML documents, and lists of definitions; objects of other kinds are left out. Throws StartError for an
 * unreadable file, and for a path without any definition.
 */
export function definitionsIn(paths: readonly string[], vendor: Vendor): readonly StartDefinition[] {
  return paths.flatMap((path) => {
    const found = filesOf(path).flatMap((file) => definitionsOf(documentsOf(file), { vendor, where: `--crd: ${file}` }))
    if (found.length === 0) throw new StartError(`--crd: ${path} has no definition: no document of kind CustomResourceDefinition`)
    return found
  })
}

/**
 * Checks definitions that a program passed, or that a file has. Throws StartError for one of another version or vendor.
 */
export function definitionsOf(
  documents: readonly JsonValue[],
  { vendor, where }: { readonly vendor: Vendor; readonly where: string },
): readonly StartDefinition[] {
  return documents.flatMap((definition) => {
    if (!isObject(definition)) return []
    const { apiVersion, items, kind } = definition
    if (Array.isArray(items) && typeof kind === "string" && kind.endsWith("List")) return definitionsOf(items, { vendor, where })
    if (kind !== "CustomResourceDefinition") return []
    const expected = vendor.apiVersion(`${definitionGroup}/v1`)
    if (apiVersion !== expected)
      throw new StartError(
        `${where}: a definition has apiVersion ${JSON.stringify(apiVersion)}; this server's have ${expected} (--vendor chooses)`,
      )
    return [{ where, definition }]
  })
}

function filesOf(path: string): readonly string[] {
  if (!existsSync(path)) throw new StartError(`--crd: ${path} does not exist`)
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => extensions.has(extname(name)))
  return names.toSorted().map((name) => join(path, name))
}

/** A line of three dashes begins a document, wherever it is. */
const documentStart = /^---(?:\s|$)/m

function documentsOf(file: string): readonly JsonValue[] {
  try {
    const texts = readFileSync(file, "utf8").split(documentStart)
    return texts.filter((text) => text.trim() !== "").map((text) => parseYaml(text).value)
  } catch (error) {
    throw new StartError(`--crd: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
