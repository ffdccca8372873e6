/** The list of tokens and the policy of audit, which a running server reads again when they change. */
import { readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const jane = { authorization: "Bearer jane-token" }
const bob = { authorization: "Bearer bob-token" }
const stays = "what it said before stays in force"

test("tokens that are new in the list count, those that are gone do not, and a wrong list changes nothing", async () => {
  const path = testFolder()("tokens.csv", "jane-token,jane,1\n")
  const server = await startServerWith({ "token-auth-file": path })
  const client = connectTo(server, { protocol: "http2" })
  const users = async () => [userOf(await client.whoAmI(jane)), userOf(await client.whoAmI(bob))]
  const before = ["jane (system:authenticated)", refused]
  expect(await users()).toEqual(before)
  writeFileSync(path, "bob-token\n")
  await server.untilRead(() => server.log.some((line) => line.includes(stays)))
  expect(server.log.find((line) => line.includes(stays))).toContain(`--token-auth-file: ${path} has changed`)
  expect(await users()).toEqual(before)
  writeFileSync(path, 'bob-token,bob,2,"ops"\n')
  await server.untilRead(() => server.log.some((line) => line.includes("the changed file was taken up")))
  expect(await users()).toEqual([refused, "bob (ops, system:authenticated)"])
})

test("a changed policy of audit counts for the requests after it, and a wrong one changes nothing", async () => {
  const file = testFolder()
  const policyOf = (level: string): string => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: ${level}}]\n`
  const path = file("policy.yaml", policyOf("None"))
  const log = file("audit.log", "")
  const tokens = file("tokens.csv", "jane-token,jane,1\n")
  const server = await startServerWith({ "token-auth-file": tokens, "audit-policy-file": path, "audit-log-path": log })
  const client = connectTo(server, { protocol: "http2" })
  await client.whoAmI(jane)
  writeFileSync(path, policyOf("Everything"))
  await server.untilRead(() => server.log.some((line) => line.includes(stays)))
  expect(server.log.find((line) => line.includes(stays))).toMatch(/Everything.*--audit-policy-file|--audit-policy-file.*Everything/)
  await client.whoAmI(jane)
  expect(readFileSync(log, "utf8")).toBe("")
  writeFileSync(path, policyOf("Metadata"))
  await server.untilRead(() => server.log.some((line) => line.includes("the changed file was taken up")))
  await client.whoAmI(jane)
  await server.untilRead(() => readFileSync(log, "utf8").includes('"stage":"ResponseComplete"'))
  const lines = readFileSync(log, "utf8").trim().split("\n")
  expect(lines.map((line) => JSON.parse(line).user.username)).toEqual(["jane", "jane"])
})
