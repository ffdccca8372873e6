/**
 * `npm run test:clients`: clients that must be built or installed first, and all kubectl tests with the newest kubectl.
 */
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"
import { reportingPool } from "./test/support/worker-pool.ts"

const report = process.env.ORCH_TEST_REPORT

export default defineConfig({
  test: {
    include: ["test/real-clients/**/*.test.ts", "test/clients/kubectl-*.test.ts"],
    pool: reportingPool,
    // One core checks documents for minutes while clients wait for servers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["test/support/seed.ts", "test/real-clients/build.ts"],
    setupFiles: ["test/support/reuse-slabs.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
})
