import { expect, it } from "vitest"
import type { PoolOptions } from "vitest/node"
import { sharedFiles, sharesProcess } from "../support/shared-files.ts"
import { reportingPool } from "../support/worker-pool.ts"

it.each([
  ["cel/schema/escape.test.ts", true],
  ["runtime/registry/commit.test.ts", true],
  // Fake timers, by itself.
  ["runtime/base/event-loop-monitor.test.ts", false],
  // A variable of the environment, by itself.
  ["test/created-owners.test.ts", false],
  // A server, by a module of `test/`.
  ["test/http-methods.test.ts", false],
  // A server, by a module of the runtime that loads another when it runs.
  ["runtime/commands/serve.test.ts", false],
  // It measures.
  ["test/scaling/turns.test.ts", false],
])("%s shares a process with others: %s", (path, shares) => expect(sharesProcess(path)).toBe(shares))

it("files that share a process are found below their folders", () => {
  const found = sharedFiles(["cel", "test"])
  expect(found).toContain("cel/schema/escape.test.ts")
  expect(found.filter((path) => !/^(cel|test)\/.*\.test\.ts$/.test(path))).toEqual([])
})

it("a process takes the next file: its name is that of the pool", () => {
  // The parts that the constructor reads.
  const project = { vitest: { logger: process } }
  const options = { distPath: "", env: {}, execArgv: [], project } as unknown as PoolOptions
  expect(reportingPool.createPoolWorker(options).name).toBe(reportingPool.name)
})
