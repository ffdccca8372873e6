/** Users from client certificates, over both protocols and all implementations. */
import { writeFileSync } from "node:fs"
import { connect } from "node:tls"
import { describe, expect, test } from "vitest"
import { type Made, makeCertificate } from "../support/client-certificates.ts"
import { type Client, connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const dayMs = 24 * 3600 * 1000
const root = await makeCertificate({ subject: "CN=root", authority: true })
const middle = await makeCertificate({ subject: "CN=middle", issuer: root, authority: true })
const other = await makeCertificate({ subject: "CN=other", authority: true })
const alice = await makeCertificate({ subject: "O=dev, O=ops, CN=alice", issuer: root })
const indirect = await makeCertificate({ subject: "CN=indirect", issuer: middle })
const wrongUse = await makeCertificate({ subject: "CN=alice", issuer: root, usages: ["server"] })
const stranger = await makeCertificate({ subject: "O=system:masters, CN=stranger", issuer: other })
const nameless = await makeCertificate({ subject: "O=dev", issuer: root })
// These end half a day before the certificates that they sign.
const shortRoot = await makeCertificate({ subject: "CN=short", authority: true, untilMs: Date.now() + dayMs / 2 })
const shortMiddle = await makeCertificate({ subject: "CN=short middle", issuer: root, authority: true, untilMs: Date.now() + dayMs / 2 })
const ofShortRoot = await makeCertificate({ subject: "CN=direct", issuer: shortRoot })
const ofShortMiddle = await makeCertificate({ subject: "CN=below", issuer: shortMiddle })
const expired = await makeCertificate({ subject: "CN=late", issuer: root, untilMs: Date.now() - dayMs / 2 })
const early = await makeCertificate({ subject: "CN=early", issuer: root, fromMs: Date.now() + dayMs / 2 })

const tokens = "bob-token,bob,bob-uid\n"
const asBob = { authorization: "Bearer bob-token" }
const asNobody = { authorization: "Bearer nonsense" }

const implementations: readonly (Pick<Client, "protocol"> & { readonly implementation: "own" | "node" })[] = [
  { protocol: "http1", implementation: "own" },
  { protocol: "http2", implementation: "own" },
  { protocol: "http2", implementation: "node" },
]

describe.each(implementations)("over $protocol ($implementation)", ({ protocol, implementation }) => {
  const start = () => {
    const file = testFolder()
    return startServerWith({
      "client-ca-file": file("ca.crt", root.certificate),
      "token-auth-file": file("tokens.csv", tokens),
      "http2-implementation": implementation,
    })
  }
  const client = (made: Made, ...sent: readonly Made[]): Client => ({
    protocol,
    certificate: [made, ...sent].map(({ certificate }) => certificate).join(""),
    key: made.key,
  })

  test("certificates name users, wrong ones nobody, and tokens count beside them", async () => {
    const server = await start()
    const ask = async (made: Made, headers = {}, ...sent: readonly Made[]): Promise<string> =>
      userOf(await connectTo(server, client(made, ...sent)).whoAmI(headers))
    expect(await ask(alice)).toBe("alice (dev, ops, system:authenticated)")
    expect(await ask(alice, asBob)).toBe("alice (dev, ops, system:authenticated)")
    expect(await ask(alice, asNobody)).toBe("alice (dev, ops, system:authenticated)")
    expect(await ask(indirect, {}, middle)).toBe("indirect (system:authenticated)")
    for (const wrong of [indirect, wrongUse, stranger, nameless, expired, early]) {
      expect(await ask(wrong)).toBe(refused)
      expect(await ask(wrong, asBob)).toBe("bob (system:authenticated)")
      expect(await ask(wrong, asNobody)).toBe(refused)
    }
    const without = connectTo(server, { protocol })
    expect([userOf(await without.whoAmI(asBob)), userOf(await without.whoAmI())]).toEqual(["bob (system:authenticated)", refused])
    expect(server.log.join("\n")).toMatch(/certificate specifies an incompatible key usage/)
  })

  test("a connection loses its user when its certificate expires, and gets one when it becomes valid", async () => {
    const server = await start()
    const [valid, notYet] = [connectTo(server, client(alice)), connectTo(server, client(early))]
    expect([userOf(await valid.whoAmI()), userOf(await notYet.whoAmI())]).toEqual(["alice (dev, ops, system:authenticated)", refused])
    server.clock.advance(0.75 * dayMs)
    expect(userOf(await notYet.whoAmI())).toBe("early (system:authenticated)")
    server.clock.advance(0.25 * dayMs + 1000)
    expect([userOf(await valid.whoAmI()), userOf(await notYet.whoAmI())]).toEqual([refused, refused])
  })

  test("a connection loses its user when a certificate above its own expires, sent or of the authority", async () => {
    const file = testFolder()
    const server = await startServerWith({
      "client-ca-file": file("ca.crt", root.certificate + shortRoot.certificate),
      "http2-implementation": implementation,
    })
    const connections = [client(ofShortRoot), client(ofShortMiddle, shortMiddle), client(alice)].map((one) => connectTo(server, one))
    const users = () => Promise.all(connections.map(async (one) => userOf(await one.whoAmI())))
    const [direct, indirectly] = ["direct (system:authenticated)", "below (system:authenticated)"]
    expect(await users()).toEqual([direct, indirectly, "alice (dev, ops, system:authenticated)"])
    server.clock.advance(dayMs / 2 + 1000)
    expect(await users()).toEqual([refused, refused, "alice (dev, ops, system:authenticated)"])
  })

  test("the file of authorities is read again: open connections are judged by it, and stay open", async () => {
    const file = testFolder()
    const path = file("ca.crt", root.certificate)
    const server = await startServerWith({ "client-ca-file": path, "http2-implementation": implementation })
    const [ofRoot, ofOther] = [connectTo(server, client(alice)), connectTo(server, client(stranger))]
    const users = async () => [userOf(await ofRoot.whoAmI()), userOf(await ofOther.whoAmI())]
    const before = ["alice (dev, ops, system:authenticated)", refused]
    expect(await users()).toEqual(before)
    writeFileSync(path, "no certificates")
    await server.untilRead(() => server.log.some((line) => line.includes("what it said before stays in force")))
    expect(await users()).toEqual(before)
    writeFileSync(path, other.certificate)
    let asked = await users()
    while (asked[0] !== refused) {
      await server.untilRead(() => true)
      server.clock.advance(1000)
      asked = await users()
    }
    expect(asked).toEqual([refused, "stranger (system:masters, system:authenticated)"])
    expect(userOf(await connectTo(server, client(stranger)).whoAmI())).toMatch(/^stranger/)
  })
})

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "no connection is resumed: it would lack the certificates that verify its own (%s)",
  async (version) => {
    const server = await startServerWith({ "client-ca-file": testFolder()("ca.crt", root.certificate) })
    const handshake = (session?: Buffer): Promise<{ session: Buffer | undefined; isReused: boolean }> =>
      new Promise((resolve, reject) => {
        let made: Buffer | undefined
        let isReused = false
        const { certificate: cert, key } = alice
        const port = { host: "127.0.0.1", port: server.port, ca: server.authority, minVersion: version, maxVersion: version }
        const socket = connect({ ...port, cert, key, ...(session !== undefined && { session }) })
        socket.on("session", (given: Buffer) => {
          made = given
        })
        socket.on("error", reject)
        socket.once("secureConnect", () => {
          isReused = socket.isSessionReused()
          socket.write("GET /version HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        })
        socket.on("close", () => resolve({ session: made, isReused }))
        socket.resume()
      })
    const first = await handshake()
    expect(await handshake(first.session)).toMatchObject({ isReused: false })
  },
)

test.each([
  ["/nowhere/ca.crt", /^--client-ca-file: \/nowhere\/ca\.crt: ENOENT/],
  ["hello", /^--client-ca-file: .*: it has no certificate in a PEM block; name a PEM file/],
])("the start fails for the authorities %j", async (text, why) => {
  const path = text.startsWith("/") ? text : testFolder()("ca.crt", text)
  await expect(startServerWith({ "client-ca-file": path })).rejects.toThrow(why)
})
