import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"
import { sharedFiles } from "./test/support/shared-files.ts"
import { reportingPool } from "./test/support/worker-pool.ts"

// .ci/run sets this variable to count tests, so that its command is the same as a developer's.
const report = process.env.ORCH_TEST_REPORT

const folders = ["bench", "cel", "codegen", "model", "runtime", "test"]
const elsewhere = ["test/real-clients/**"]
const shared = [...sharedFiles(folders)]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "alone", include: folders.map((folder) => `${folder}/**/*.test.ts`), exclude: [...elsewhere, ...shared] },
      },
      { extends: true, test: { name: "shared", include: shared, exclude: elsewhere, isolate: false } },
    ],
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
