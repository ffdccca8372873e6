#!/usr/bin/env -S node --v8-pool-size=1 --use-largepages=silent
/**
 * The program `orch-apiserver`. The line above, like `npm start`, runs node with one helper thread: node's default of
 * four takes the cores from the main thread whenever code is compiled or the heap collected (16 writers on two cores: 9
 * % less CPU for a create, 15 % more of them, p99 7 ms instead of 9). Node's own code is mapped to large pages where
 * the system has them (up to 7 % less CPU on a busy host).
 */
import nodeModule from "node:module"
import { fileURLToPath } from "node:url"
import { nodeFault } from "./base/node-version.ts"

const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  keepCompiledCode()
  const [{ processContext }, { run }] = await Promise.all([import("./commands/context.ts"), import("./commands/run.ts")])
  process.exitCode = await run(process.argv.slice(2), processContext())
} else {
  console.error(fault)
  process.exitCode = 1
}

/**
 * Node 22.8 and later keep compiled code beside the program: a start takes 0.1 s less. If the folder is not writable,
 * no code is kept. Node's default is a folder that other users of the machine may write.
 */
function keepCompiledCode(): void {
  // The types describe node 20, which lacks it.
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown }
  if (import.meta.url.endsWith(".js")) enableCompileCache?.(fileURLToPath(new URL("compiled", import.meta.url)))
}
