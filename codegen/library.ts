/**
 * The part of the built-in schemas that a folder of one's own needs. Reading YAML is most of the time that generating
 * one kind takes, so files that nothing refers to are left out. It looks at the texts alone and takes too much rather
 * than too little.
 */
import { isBootstrapFile } from "./load/index.ts"

/** Types that every kind needs: metadata, and types in the published documents. */
const always = /^(meta|autoscaling)\//

/**
 * Called before `files` are loaded beside `builtIn`. Returns the schemas of `builtIn` that they refer to, directly or
 * through others. Returns all of them when the files are part of a built-in group, or state a storage path, which may
 * be the path of any kind.
 */
export function neededLibrary(files: ReadonlyMap<string, string>, builtIn: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const library = new Map([...builtIn].filter(([path]) => !isBootstrapFile(path)))
  const groups = new Set([...library.keys()].map(groupOf))
  const whole = [...files].some(([path, text]) => groups.has(groupOf(path)) || (/^storage:/m.test(text) && /\bpath:/.test(text)))
  if (whole) return library
  const declaring = declarations(library)
  const needed = new Map([...library].filter(([path]) => always.test(path)))
  const waiting = [...files.values(), ...needed.values()]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const name of references(text)) {
      for (const path of declaring.get(name) ?? []) {
        if (needed.has(path)) continue
        const found = library.get(path) ?? ""
        needed.set(path, found)
        waiting.push(found)
      }
    }
  }
  return needed
}

function groupOf(path: string): string {
  return path.slice(0, path.indexOf("/"))
}

/** Files by the names of the types and kinds that they declare. */
function declarations(library: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const [path, text] of library)
    for (const match of text.matchAll(/^(?:kind: | {2})([A-Z]\w*)/gm)) {
      const [, name = ""] = match
      const paths = files.get(name)
      if (paths === undefined) files.set(name, [path])
      else paths.push(path)
    }
  return files
}

/** Names that follow `type:`, and kinds written `core/v1 Pod`. */
function references(text: string): Set<string> {
  const names = new Set<string>()
  for (const [, written = ""] of text.matchAll(/\btype:\s*([^,}\n]*)/g))
    for (const [name] of written.matchAll(/\b[A-Z]\w*/g)) names.add(name)
  for (const [, name = ""] of text.matchAll(/\bv\d\w* ([A-Z]\w*)/g)) names.add(name)
  return names
}
