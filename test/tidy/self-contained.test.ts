/**
 * Code that validates a `selfContained` value of a schema, or sets its defaults, reads nothing else of the object than
 * its kind: else each write would have to check the value again, also one that leaves it alone or brings a known one.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const repository = fileURLToPath(new URL("../..", import.meta.url))

/** Parts of the whole object that such code may read. The spec is the value itself. */
const named = /\broot\b(, "(kind|spec)"|\.kind\b)/g

/** Files that pass the object on, or declare it. */
const mechanism =
  /^runtime\/(schema\/(validate|defaults|kind|define|index|references|check-limits|reported|behaviour)\.ts|base\/|encoding\/)/

function source(path: string): string {
  return readFileSync(join(repository, path), "utf8")
}

/** The files that a file imports, below the repository, and their imports. Leaves out type-only imports. */
function imported(path: string, found: Set<string>): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const [, name = ""] of source(path).matchAll(/^(?:import (?!type )[^"]*|\} )from "(\.[^"]*)"$/gm))
    if (!mechanism.test(join(dirname(path), name))) imported(join(dirname(path), name), found)
  return found
}

const generated = readdirSync(join(repository, "generated"), { recursive: true, encoding: "utf8" })
const users = generated
  .filter((name) => /(validate|defaults)\.ts$/.test(name))
  .map((name) => join("generated", name))
  .filter((path) => /\b(selfContained|defaultSelfContained)\(self/.test(source(path)))

it("values that are not checked again are judged by themselves", () => {
  expect(users.length).toBeGreaterThan(0)
  for (const user of users) {
    const own = /(?:selfContained|defaultSelfContained)\(self, "\w+", context, (\w+)/.exec(source(user))?.[1] ?? ""
    const from = new RegExp(`import \\{[^}]*\\b${own}\\b[^}]*\\} from "([^"]*)"`).exec(source(user))?.[1] ?? ""
    const files = imported(join(dirname(user), from), new Set())
    expect(files.size).toBeGreaterThan(1)
    for (const path of files) {
      const reads = source(path)
        .replace(/^\s*(\*|\/\/).*$/gm, "")
        .replaceAll(named, "")
      expect.soft(/.*(\.|\()(root|oldRoot|subresource)\b.*/.exec(reads)?.[0], path).toBeUndefined()
    }
  }
})
