/** The list of tokens and the policy of audit, which a running server reads again when they change. */
import { readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type SigningKey, signingKeyIn } from "../../runtime/authn/service-accounts/keys.ts"
import { keptAccountTokensMs } from "../../runtime/authn/limits.ts"
import { privateKeyPem } from "../support/account-keys.ts"
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

test("keys of service accounts are exchanged while requests run, and wrong ones change nothing", async () => {
  const file = testFolder()
  const [old, young] = [signingKeyIn(privateKeyPem()), signingKeyIn(privateKeyPem())]
  const publicPem = ({ publicKey }: SigningKey): string => publicKey.export({ format: "pem", type: "spki" }).toString()
  const privatePem = ({ privateKey }: SigningKey): string => privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  const [keys, signing] = [file("accounts.pub", publicPem(old)), file("accounts.key", privatePem(old))]
  const server = await startServerWith({
    "service-account-key-file": [keys],
    "service-account-signing-key-file": signing,
    "service-account-issuer": ["https://issuer.example.com"],
  })
  const client = connectTo(server, { protocol: "http2" })
  const taken = (): number => server.log.filter((line) => line.includes("--service-account-key-file: the changed file was taken up")).length
  const keyOf = (token: string): unknown => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid
  const published = async (): Promise<readonly string[]> =>
    JSON.parse(await server.get("/openid/v1/jwks")).keys.map(({ kid }: { kid: string }) => kid)
  const who = async (token: string): Promise<string> => userOf(await client.whoAmI({ authorization: `Bearer ${token}` }))
  const user = "system:serviceaccount:default:default (system:serviceaccounts, system:serviceaccounts:default, system:authenticated)"
  const before = await server.accountToken("default")
  expect(keyOf(before)).toBe(old.id)

  let isDone = false
  const running = (async (): Promise<ReadonlySet<string>> => {
    const seen = new Set<string>()
    while (!isDone) seen.add(await who(before))
    return seen
  })()
  writeFileSync(keys, "nothing")
  await server.untilRead(() => server.log.some((line) => line.includes(stays)))
  expect(await published()).toEqual([old.id])
  writeFileSync(keys, publicPem(young) + publicPem(old))
  await server.untilRead(() => taken() === 1)
  writeFileSync(signing, privatePem(young))
  await server.untilRead(() => taken() === 2)
  const after = await server.accountToken("default")
  expect([keyOf(after), await published(), await who(after)]).toEqual([young.id, [young.id, old.id], user])
  isDone = true
  expect([...(await running)]).toEqual([user])
  writeFileSync(keys, publicPem(young))
  await server.untilRead(() => taken() === 3)
  server.clock.advance(keptAccountTokensMs)
  expect([await who(before), await who(after)]).toEqual([refused, user])
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
