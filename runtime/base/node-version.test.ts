import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { nodeFault } from "./node-version.ts"

test.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0", "100.0.0"])("%s runs the package", (version) => {
  expect(nodeFault(version)).toBeUndefined()
})

test.each(["16.20.2", "18.20.8", "20.0.0", "20.18.3", "9.99.0"])("%s is too old", (version) => {
  expect(nodeFault(version)).toBe(`orch-apiserver needs Node 20.19 or newer; this is Node ${version}`)
})

test("the package names the same version", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } }
  const [, oldest = ""] = />=(.*)/.exec(engines.node) ?? []
  expect(nodeFault(`${oldest}.0`)).toBeUndefined()
  expect(nodeFault(`${oldest.replace(/\d+$/, (minor) => String(Number(minor) - 1))}.9`)).toContain(oldest)
})
