/**
 * The conformance data of the language (@bufbuild/cel-spec). Cases that the release's expressions need not pass are
 * listed with a reason in conformance-exceptions.yaml; one that passes all the same is to be removed from there.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { conformanceFault } from "./conformance-run.ts"
import { conformanceCases } from "./conformance-suite.ts"

interface Exceptions {
  readonly reason: string
  /** By section: `macros/exists`. */
  readonly cases: Readonly<Record<string, readonly string[]>>
}

const listed: readonly Exceptions[] = parse(readFileSync(join(import.meta.dirname, "conformance-exceptions.yaml"), "utf8"))
const exceptions = new Set(
  listed.flatMap(({ cases }) => Object.entries(cases).flatMap(([section, names]) => names.map((name) => `${section}/${name}`))),
)
const cases = conformanceCases()

test.each(cases.filter(({ path }) => !exceptions.has(path)))("$path", ({ read }) => {
  expect(conformanceFault(read)).toBeUndefined()
})

test("every exception still fails", () => {
  const passing = cases.filter(({ path, read }) => exceptions.has(path) && conformanceFault(read) === undefined)
  expect(passing.map(({ path }) => path)).toEqual([])
})

test("every exception names a case", () => {
  const known = new Set(cases.map(({ path }) => path))
  expect([...exceptions].filter((path) => !known.has(path))).toEqual([])
})
