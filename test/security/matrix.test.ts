/** Whether `matrix.yaml` is complete: each authenticator and authorizer has all cells, and each names a test. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const repository = join(import.meta.dirname, "..", "..")

type Cell = Readonly<Record<string, string>>
// The format of the file, which the tests below check.
const matrix = parse(readFileSync(join(import.meta.dirname, "matrix.yaml"), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Cell>>>
>

const ofEach = ["accept", "reject"]
const ofTokens = ["malformed", "expired", "not yet valid", "wrong audience", "wrong issuer", "rotated key"]
const ofTrust = ["backend down", "slow or lying backend", "cache", "reload"]

/** The cells of each row; authorizers have no tokens, so no cells about times and issuers. */
const rows: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [
      ...["client certificates", "request-header proxy", "list of tokens", "bootstrap tokens", "tokens of service accounts"],
      ...["tokens of Secrets", "OpenID Connect", "issuers of a configuration", "web hook of tokens"],
    ].map((name) => [name, [...ofEach, ...ofTokens, ...ofTrust]]),
  ),
  anonymous: ofEach,
  ABAC: [...ofEach, "malformed", "reload"],
  "web hook of authorization": [...ofEach, "malformed", ...ofTrust],
  RBAC: [...ofEach, "malformed", "cache", "reload"],
  Node: [...ofEach, "malformed", "cache", "reload"],
  "authorizers of a configuration": [...ofEach, "malformed", "reload"],
  "AlwaysAllow and AlwaysDeny": ofEach,
  impersonation: [...ofEach, "malformed"],
}

it("has every row with every cell", () => {
  expect(Object.keys(matrix).sort()).toEqual(Object.keys(rows).sort())
  for (const [name, cells] of Object.entries(rows))
    expect([name, Object.keys(matrix[name] ?? {}).sort()]).toEqual([name, [...cells].sort()])
})

describe.each(Object.entries(matrix))("%s", (_name, cells) => {
  it.each(Object.entries(cells))("%s", (_cell, cell) => {
    const [[place, title] = ["", ""], ...more] = Object.entries(cell)
    expect(more).toEqual([])
    if (place === "none") return expect(title).toMatch(/\w+ \w+/)
    return expect(readFileSync(join(repository, place), "utf8")).toContain(title)
  })
})
