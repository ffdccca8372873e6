import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"
import { reportingPool } from "./test/support/worker-pool.ts"

// .ci/run sets this variable to count tests, so that its command is the same as a developer's.
const report = process.env.ORCH_TEST_REPORT

export default defineConfig({
  test: {
    include: [
      "bench/**/*.test.ts",
      "cel/**/*.test.ts",
      "codegen/**/*.test.ts",
      "model/**/*.test.ts",
      "runtime/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    exclude: ["test/real-clients/**"],
    pool: reportingPool,
    // Many files wait for servers and stores. With one file at a time, the default on two cores, half of them is idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/seed.ts"],
    setupFiles: ["test/support/seed-properties.ts", "test/support/reuse-slabs.ts", "test/support/freeze-recent.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
})
