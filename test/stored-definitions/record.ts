/**
 * Writes recorded.json from objects.yaml with the Go program of test/real-clients/store, whose path is the argument.
 * Run by hand; `npm run test:clients` compares the two.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

const place = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Returns the output of the Go program for each object, in the order of the objects. */
export function recordedBy(program: string): unknown[] {
  const objects: unknown[] = parse(readFileSync(place("objects.yaml"), "utf8"))
  const printed = execFileSync(program, ["encode"], { input: objects.map((object) => JSON.stringify(object)).join("\n"), encoding: "utf8" })
  return printed
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
}

const [, script, program] = process.argv
if (script === fileURLToPath(import.meta.url) && program !== undefined)
  writeFileSync(place("recorded.json"), `${JSON.stringify(recordedBy(program), null, 1)}\n`)
