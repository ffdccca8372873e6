/**
 * `npm run test:nodes`: runs the suites that depend on Node itself (HTTP, TLS, native modules, starting) with other
 * versions of it: the programs in ORCH_TEST_NODES, separated as in PATH. Arguments replace the suites.
 */
import { spawnSync } from "node:child_process"
import { delimiter, dirname, join } from "node:path"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

const suites = [
  "runtime/http/",
  "runtime/http2",
  "runtime/hooks",
  "runtime/storage",
  "test/api",
  "test/authentication",
  "test/connection-bounds",
  "test/etcd-certificates",
  "test/http1",
  "test/local-start",
  "test/start",
  "test/docs",
  "test/tls",
]

requireNode()
const programs = (process.env.ORCH_TEST_NODES ?? "").split(delimiter).filter((program) => program !== "")
if (programs.length === 0) {
  console.error("ORCH_TEST_NODES names no program of Node")
  process.exit(2)
}
installPackages()
await buildBundle()
const asked = process.argv.slice(2)
for (const program of programs) {
  spawnSync(program, ["--version"], { stdio: "inherit" })
  // Programs that tests start by name get the same version.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` }
  const runner = join(repository, "node_modules/vitest/vitest.mjs")
  const { status } = spawnSync(program, [runner, "run", ...(asked.length > 0 ? asked : suites)], { cwd: repository, env, stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
