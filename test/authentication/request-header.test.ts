/** Users whom a proxy names in header fields, over both protocols and all implementations. */
import { writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { type Made, makeCertificate } from "../support/client-certificates.ts"
import { type Client, type Connection, connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const proxies = await makeCertificate({ subject: "CN=proxies", authority: true })
const clients = await makeCertificate({ subject: "CN=clients", authority: true })
const front = await makeCertificate({ subject: "CN=front", issuer: proxies })
const side = await makeCertificate({ subject: "CN=side", issuer: proxies })
const late = await makeCertificate({ subject: "CN=front", issuer: proxies, untilMs: Date.now() - 1000 })
const early = await makeCertificate({ subject: "CN=front", issuer: proxies, fromMs: Date.now() + 60_000 })
const alice = await makeCertificate({ subject: "O=dev, CN=alice", issuer: clients })

const implementations: readonly (Pick<Client, "protocol"> & { readonly implementation: "own" | "node" })[] = [
  { protocol: "http1", implementation: "own" },
  { protocol: "http2", implementation: "own" },
  { protocol: "http2", implementation: "node" },
]

describe.each(implementations)("over $protocol ($implementation)", ({ protocol, implementation }) => {
  const start = async (allowed: readonly string[] = ["front"]): Promise<(made?: Made) => Connection> => {
    const file = testFolder()
    const server = await startServerWith({
      "requestheader-client-ca-file": file("proxies.crt", proxies.certificate),
      "requestheader-allowed-names": allowed,
      "requestheader-username-headers": ["X-Remote-User", "X-Other-User"],
      "requestheader-group-headers": ["X-Remote-Group", "X-Other-Group"],
      "requestheader-extra-headers-prefix": ["X-Remote-Extra-", "X-More-"],
      "client-ca-file": file("clients.crt", clients.certificate),
      "token-auth-file": file("tokens.csv", "bob-token,bob,bob-uid\n"),
      "http2-implementation": implementation,
    })
    return (made) => connectTo(server, { protocol, ...(made !== undefined && { certificate: made.certificate, key: made.key }) })
  }

  test("a proxy names user, groups and extras, each value as it was sent", async () => {
    const to = await start()
    const { body } = await to(front).whoAmI({
      "x-remote-user": "jane, or so",
      "x-other-user": "nobody",
      "x-other-group": ["", "c, d"],
      "x-remote-group": ["a", "b"],
      "x-remote-extra-scopes": ["one", "two"],
      "X-More-Scopes": "three",
      "x-remote-extra-example.com%2Fkey": "v",
      "x-remote-extra-half%2": "w",
    })
    expect(body.status?.userInfo).toEqual({
      username: "jane, or so",
      groups: ["a", "b", "c, d", "system:authenticated"],
      extra: { scopes: ["one", "two", "three"], "example.com/key": ["v"], "half%2": ["w"] },
    })
    expect(userOf(await to(front).whoAmI({ "x-other-user": "second" }))).toBe("second (system:authenticated)")
  })

  test("fields of others name nobody (etcd CVE-2018-16886)", async () => {
    const to = await start()
    const asRoot = { "x-remote-user": "root", "x-remote-group": "system:masters" }
    expect(userOf(await to().whoAmI(asRoot))).toBe(refused)
    expect(userOf(await to().whoAmI({ ...asRoot, authorization: "Bearer bob-token" }))).toBe("bob (system:authenticated)")
    expect(userOf(await to(alice).whoAmI(asRoot))).toBe("alice (dev, system:authenticated)")
    for (const wrong of [side, late, early]) expect(userOf(await to(wrong).whoAmI(asRoot))).toBe(refused)
  })

  test("a proxy without a user's name is nobody, unless it has another credential (etcd CVE-2018-16886)", async () => {
    const to = await start()
    for (const headers of [{}, { "x-remote-user": "" }, { "x-remote-group": "system:masters" }])
      expect(userOf(await to(front).whoAmI(headers))).toBe(refused)
    expect(userOf(await to(front).whoAmI({ authorization: "Bearer bob-token" }))).toBe("bob (system:authenticated)")
  })

  test("any certificate of their authorities will do when no names are given", async () => {
    const to = await start([])
    expect(userOf(await to(side).whoAmI({ "x-remote-user": "jane" }))).toBe("jane (system:authenticated)")
    expect(userOf(await to(alice).whoAmI({ "x-remote-user": "jane" }))).toBe("alice (dev, system:authenticated)")
  })
})

test("the file of the proxies' authorities is read again while requests run", async () => {
  const path = testFolder()("proxies.crt", proxies.certificate)
  const server = await startServerWith({ "requestheader-client-ca-file": path, "requestheader-username-headers": ["X-Remote-User"] })
  const proxy = connectTo(server, { protocol: "http2", certificate: front.certificate, key: front.key })
  const ask = async (): Promise<string> => userOf(await proxy.whoAmI({ "x-remote-user": "jane" }))
  expect(await ask()).toBe("jane (system:authenticated)")
  writeFileSync(path, clients.certificate)
  let answers = [await ask()]
  while (answers.at(-1) !== refused) {
    await server.untilRead(() => true)
    server.clock.advance(1000)
    answers = [...answers, ...(await Promise.all([ask(), ask(), ask()]))]
  }
  expect(new Set(answers)).toEqual(new Set(["jane (system:authenticated)", refused]))
})

test("header fields without an authority stop the start", async () => {
  await expect(startServerWith({ "requestheader-username-headers": ["X-Remote-User"] })).rejects.toThrow(
    /^--requestheader-username-headers needs --requestheader-client-ca-file/,
  )
})
