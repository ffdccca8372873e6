#!/usr/bin/env -S node --v8-pool-size=1 --use-largepages=silent
/**
 * The program `orch-apiserver`. The line above, like `npm start`, runs node with one helper thread: node's default of
 * four takes the cores from the main thread whenever code is compiled or the heap collected (16 writers on two cores: 9
 * % less CPU for a create, 15 % more of them, p99 7 ms instead of 9). Node's own code is mapped to large pages where
 * the system has them (up to 7 % less CPU on a busy host).
 */
import { nodeFault } from "./base/node-version.ts"

const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  const [{ processContext }, { run }] = await Promise.all([import("./commands/context.ts"), import("./commands/run.ts")])
  process.exitCode = await run(process.argv.slice(2), processContext())
} else {
  console.error(fault)
  process.exitCode = 1
}
