/**
 * Damaged tokens, certificates, header fields and configuration files: no crash, no 500, and no client is authenticated
 * by a credential that was not issued. `npm run fuzz -- --topic access --minutes N` goes on with other seeds.
 */
import { expect, it } from "vitest"
import { huntAccess } from "./hunt.ts"
import { faultOf } from "./files.ts"
import { judge as judgeHeaders } from "./headers.ts"
import { judge as judgeToken } from "./tokens.ts"

const seed = Number(process.env.FUZZ_SEED ?? 1)
const cases = Number(process.env.FUZZ_CASES ?? 300)

it(`takes ${cases} cases of seed ${seed}`, { timeout: 300_000 }, async () => {
  const findings: string[] = []
  const taken = await huntAccess({
    seed,
    first: 0,
    goesOn: (number) => number < cases && findings.length < 3,
    found: (text) => findings.push(text),
  })
  expect(findings).toEqual([])
  for (const [sort, count] of taken) expect([sort, count > cases / 10]).toEqual([sort, true])
})

it("finds who accepts what was not issued", async () => {
  const everybody = async () => ({ user: { name: "root", groups: [], extra: {} } })
  expect(await judgeToken(everybody, { original: "a.b.cccc", token: "a.b.dddd" })).toMatch(/^it is root/)
  expect(await judgeToken(everybody, { original: "a.b.c", token: "a.b.c" })).toBeUndefined()
  expect(await judgeToken(async () => undefined, { original: "a.b.c", token: "a.b.c" })).toMatch(/not known/)
  const body = JSON.stringify({ status: { userInfo: { username: "root", groups: ["system:authenticated"] } } })
  const fields = [["x-remote-user", "root"]] as const
  expect(judgeHeaders({ status: 201, body, fields, isProxy: false })).toMatch(/^root/)
  expect(judgeHeaders({ status: 201, body, fields, isProxy: true })).toBeUndefined()
  expect(judgeHeaders({ status: 500, body: "", fields, isProxy: false })).toMatch(/^500/)
  const missing: { readonly name?: { readonly first: string } } = {}
  expect(faultOf({ read: () => Reflect.get(Object(missing.name), "first").length }, "")).toMatch(/^it threw TypeError/)
  expect(
    faultOf(
      {
        read: () => {
          throw new Error("line 1: a level is missing")
        },
      },
      "",
    ),
  ).toBeUndefined()
})
