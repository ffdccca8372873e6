/**
 * The order of test files: the slowest first. Without the times of an earlier run, as on a clean checkout, vitest
 * begins with the largest files, and a small file that takes minutes would be the last, beside idle cores.
 */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Seconds of the slowest files; the end of `.ci/run` lists the slowest files of a run. Only the order counts. */
export const slowFiles: Readonly<Record<string, number>> = {
  "test/sim/sim.test.ts": 400,
  "test/hammer/hammer.test.ts": 317,
  "test/real-clients/openapi.test.ts": 220,
  "test/docs/tutorial.test.ts": 150,
  "test/contract/cache-etcd.test.ts": 139,
  "test/clients/durability.test.ts": 113,
  "test/docs/commands.test.ts": 106,
  "test/sim/planted/planted.test.ts": 105,
  "test/contract/store-etcd.test.ts": 93,
  "codegen/definitions/round-trip.test.ts": 74,
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => slowFiles[relative(this.ctx.config.root, moduleId)] ?? 0
    // The sort is stable: others keep the order that vitest gives them.
    return (await super.sort(files)).sort((left, right) => seconds(right) - seconds(left))
  }
}
