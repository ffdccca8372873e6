import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { parentCheckMs } from "../base/stop-limits.ts"
import { followNpm } from "./npm-parent.ts"

const start = "node --v8-pool-size=1 --use-largepages=silent scripts/start.mjs"

/** Returns how often the program was ended, if its parent ends after two checks. */
function endsWith(script: string | undefined): number {
  const clock = createManualClock()
  let parent = 7
  let ends = 0
  followNpm({ clock, env: { npm_lifecycle_script: script }, onEnd: () => ends++, parentOf: () => parent })
  clock.advance(2 * parentCheckMs)
  expect(ends).toBe(0)
  parent = 1
  clock.advance(10 * parentCheckMs)
  return ends
}

it.each([start, `${start} --vendor=kubernetes`, "orch-apiserver", "orch-apiserver serve --store=memory"])(
  "ends with the npm that runs %j",
  (script) => expect(endsWith(script)).toBe(1),
)

it.each([undefined, "", `${start} & wait-on tcp:6443`, "orch-apiserver start &", "vitest run", "node main.js"])(
  "stays when the script is %j",
  (script) => expect(endsWith(script)).toBe(0),
)
