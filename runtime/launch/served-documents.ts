/**
 * OpenAPI documents of the kinds that a server serves. The generated ones describe all kinds; the paths of kinds that
 * are off are left out, with the definitions that no other path needs. The generator writes each path and each
 * definition on a line of its own, so that nothing is parsed here.
 */
import type { Kind } from "../schema/kind.ts"
import type { Documents } from "./openapi-files.ts"

/** Called once at start with the documents of `all`, of which `served` are on. Kinds never served have none. */
export function servedDocuments(documents: Documents, all: readonly Kind[], served: readonly Kind[]): Documents {
  const on = new Set(placesOfServed(served))
  const off = new Set(placesOfServed(all).filter((place) => !on.has(place)))
  if (off.size === 0) return documents
  const kept = [...documents].filter(([path]) => !off.has(placeOfDocument(path)))
  return new Map(kept.map(([path, read]) => [path, async () => withoutPaths(await read(), off)]))
}

function placesOfServed(kinds: readonly Kind[]): readonly string[] {
  return kinds.filter(({ served }) => served !== false).flatMap(placesOf)
}

/** The parts that may be off: a resource, its group version, and its group. */
function placesOf({ group, version, resource }: Kind): readonly string[] {
  const root = group === "" ? "/api" : `/apis/${group}`
  return [root, `${root}/${version}`, `${root}/${version}/${resource}`]
}

/** `v3/apis/apps/v1` → `/apis/apps/v1` */
function placeOfDocument(path: string): string {
  return path.slice(path.indexOf("/"))
}

/** `/apis/apps/v1/namespaces/{namespace}/deployments/{name}` → `/apis/apps/v1/deployments` */
function placeOfPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "")
  const head = segments.slice(0, segments[0] === "api" ? 2 : 3)
  const rest = segments.slice(head.length)
  if (rest[0] === "watch") rest.shift()
  if (rest[0] === "namespaces" && rest[1] === "{namespace}") rest.splice(0, 2)
  const [resource] = rest
  return `/${[...head, ...(resource === undefined ? [] : [resource])].join("/")}`
}

const entryLine = /^ +"([^"]+)":\{/
const reference = /"#\/(?:definitions|components\/schemas)\/([^"]+)"/g
const tagLists = /"tags":\["([^"]+)"\]/g

/** The document without the paths in `off`, in the layout of the generator. */
function withoutPaths(bytes: Buffer, off: ReadonlySet<string>): Buffer {
  const lines = bytes.toString().split("\n")
  const first = lines.indexOf(' "paths":{')
  const last = lines.indexOf(" },", first)
  const paths = lines.slice(first + 1, last)
  const kept = paths.filter((line) => !off.has(placeOfPath(entryLine.exec(line)?.[1] ?? "")))
  if (first < 0 || kept.length === paths.length) return bytes
  const rest = withoutDefinitions(lines.slice(last), kept)
  const tags = new Set(kept.flatMap((line) => [...line.matchAll(tagLists)].map(([, tag]) => tag)))
  const tagged = rest.map((line) => (line.startsWith(' "tags":[') ? withTags(line, tags) : line))
  return Buffer.from([...lines.slice(0, first + 1), ...separated(kept), ...tagged].join("\n"))
}

/** The lines after the paths, without the definitions that none of the `paths` needs. */
function withoutDefinitions(lines: readonly string[], paths: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line === ' "definitions":{' || line === '  "schemas":{')
  const last = lines.findIndex((line, index) => index > first && /^ +\},?$/.test(line))
  if (first < 0) return lines
  const definitions = new Map(lines.slice(first + 1, last).map((line) => [entryLine.exec(line)?.[1] ?? "", line]))
  const needed = new Set<string>()
  const waiting = [...paths]
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    for (const [, name = ""] of line.matchAll(reference)) {
      if (needed.has(name)) continue
      needed.add(name)
      waiting.push(definitions.get(name) ?? "")
    }
  }
  const kept = [...definitions].filter(([name]) => needed.has(name)).map(([, line]) => line)
  return [...lines.slice(0, first + 1), ...separated(kept), ...lines.slice(last)]
}

function withTags(line: string, tags: ReadonlySet<string | undefined>): string {
  return line.replaceAll(/\{"name":"([^"]+)"\},?/g, (entry, name: string) => (tags.has(name) ? entry : "")).replace(",]", "]")
}

/** Entries of an object, one on each line, with commas between them. */
function separated(lines: readonly string[]): readonly string[] {
  const last = lines.length - 1
  return lines.map((line, index) => `${line.endsWith(",") ? line.slice(0, -1) : line}${index < last ? "," : ""}`)
}
