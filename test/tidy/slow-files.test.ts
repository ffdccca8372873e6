import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node"
import { LongestFirst, slowFiles } from "../support/longest-first.ts"
import { repository } from "./source.ts"

it("files that are started first exist", () => {
  expect(Object.keys(slowFiles).filter((path) => !existsSync(join(repository, path)))).toEqual([])
})

it("the files that take longest are started first, and others as before", async () => {
  const unknown = { getFileTestResults: () => undefined, getFileStats: (key: string) => ({ size: key.length }) }
  const project = { name: "", config: { isolate: true, sequence: { groupOrder: 0 } } }
  // The parts that the order depends on; the types have many more.
  const context = { config: { root: repository }, cache: unknown } as unknown as Vitest
  const paths = ["cel/a.test.ts", "codegen/definitions/round-trip.test.ts", "cel/longer.test.ts", "test/sim/sim.test.ts"]
  const files = paths.map((path) => ({ moduleId: join(repository, path), project })) as unknown as TestSpecification[]
  const order = (sorted: readonly TestSpecification[]): string[] => sorted.map(({ moduleId }) => moduleId.slice(repository.length + 1))
  expect(order(await new LongestFirst(context).sort(files))).toEqual([
    "test/sim/sim.test.ts",
    "codegen/definitions/round-trip.test.ts",
    "cel/longer.test.ts",
    "cel/a.test.ts",
  ])
  expect(order(await new BaseSequencer(context).sort(files)).at(-1)).toBe("cel/a.test.ts")
})
