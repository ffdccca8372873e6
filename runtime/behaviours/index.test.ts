import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import { behaviours, subresourceBehaviours } from "./index.ts"

/** Named by the kinds that definitions add. */
const ofDefinitions = ["customObject"]

test("every behaviour that schemas name exists, and every one that exists is used", () => {
  const named = new Set([...kinds.flatMap((kind) => kind.behaviours), ...ofDefinitions])
  expect(Object.keys(behaviours).sort()).toEqual([...named].sort())
})

test("every sub-resource behaviour that schemas name exists, and every one that exists is used", () => {
  const named = new Set(
    kinds.flatMap(({ answeredBy, subresources }) => [answeredBy ?? [], ...subresources.map(({ behaviour }) => behaviour ?? [])].flat()),
  )
  expect(Object.keys(subresourceBehaviours).sort()).toEqual([...named].sort())
})

test("each is in the file of its name, where the schema loader looks for it", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== "index.ts")
  const names = files.map((file) => file.slice(0, -3).replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase()))
  expect(names.sort()).toEqual([...Object.keys(behaviours), ...Object.keys(subresourceBehaviours)].sort())
})
