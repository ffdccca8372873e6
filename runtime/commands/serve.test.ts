import { describe, expect, it } from "vitest"
import { loadOptions } from "../options/load.ts"
import { localOptions } from "./local-options.ts"
import { warnOfAnonymous, warnOfOpenServer } from "./serve.ts"

/** Returns the warnings of a server with these arguments before it starts. */
function warnings(...args: readonly string[]): readonly string[] {
  const loaded = loadOptions({ args, env: {}, readFile: () => "" })
  const said: string[] = []
  warnOfAnonymous(loaded, (text) => said.push(text))
  warnOfOpenServer(loaded.options, (text) => said.push(text))
  return said
}

describe("a server that is open to others", () => {
  const open = ["--bind-address=0.0.0.0", "--anonymous-auth=true"]

  it("warns while every credential has all rights", () => {
    expect(warnings(...open)).toEqual([
      expect.stringMatching(/^--anonymous-auth stays off/),
      expect.stringMatching(/^--bind-address=0\.0\.0\.0 is open to other machines/),
    ])
  })

  it.each(["--authorization-mode=RBAC", "--authorization-config=authorizers.yaml"])("warns of nothing with %s", (option) => {
    expect(warnings(...open, option)).toEqual([])
  })
})

it("a server of one's own machine decides by roles, unless authorizers are named otherwise", () => {
  const modesOf = (...args: readonly string[]) => localOptions(loadOptions({ args, env: {}, readFile: () => "" }))["authorization-mode"]
  expect(modesOf()).toEqual(["Node", "RBAC"])
  expect(modesOf("--authorization-mode=ABAC")).toEqual(["ABAC"])
  // A configuration and a mode exclude each other.
  expect(modesOf("--authorization-config=authorizers.yaml")).toEqual(["AlwaysAllow"])
})
