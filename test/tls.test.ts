/** TLS of the secure port: which certificate a client gets, versions, cipher suites, and changed files. */
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { connect as connectHttp2 } from "node:http2"
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from "node:net"
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Options } from "../runtime/options/table.ts"
import { type AuthenticationServer, startServerWith, testFolder } from "./authentication/server.ts"
import { createTestAuthority, type IssuedPair, keyAlgorithms } from "./support/certificates.ts"

const authority = await createTestAuthority("serving")
const rsa = keyAlgorithms["RSA of 2048 bits"]
/** Shared by tests that need only the key type: such keys take long to make. */
const rsaPair = await authority.issue({ algorithm: rsa, commonName: "rsa" })
type Asked = ConnectionOptions & { readonly port: number }

/** A handshake; resolves with the socket, or with the error's code if it failed. */
function handshake(options: Asked): Promise<TLSSocket | string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", rejectUnauthorized: false, ...options })
    onTestFinished(() => void socket.destroy())
    socket.once("secureConnect", () => resolve(socket))
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

async function connected(options: Asked): Promise<TLSSocket> {
  const socket = await handshake(options)
  if (typeof socket === "string") throw new Error(socket)
  return socket
}

async function servedName(options: Asked): Promise<string> {
  const certificate = (await connected(options)).getPeerX509Certificate()
  return certificate?.subject.replace("CN=", "") ?? ""
}

/** Writes pairs to files, and returns their paths. */
function pairFiles(): (name: string, pair: IssuedPair) => { certificate: string; key: string } {
  const file = testFolder()
  return (name, pair) => ({ certificate: file(`${name}.crt`, pair.certificate), key: file(`${name}.key`, pair.key) })
}

async function startWithPair(pair: IssuedPair, options: Partial<Options> = {}): Promise<AuthenticationServer> {
  const { certificate, key } = pairFiles()("serving", pair)
  return startServerWith({ "tls-cert-file": certificate, "tls-private-key-file": key, ...options })
}

/** A pair for these names, with this common name and a key of this type. */
const issue = (commonName: string, sort: "ec" | "rsa", ...names: readonly string[]): Promise<IssuedPair> =>
  authority.issue({ commonName, names, ...(sort === "rsa" && { algorithm: rsa }) })
const main = await issue("main", "ec", "main.example", "shared.example")
const named = [
  { pair: await issue("first", "rsa", "first.example", "*.wild.example", "both.example", "shared.example"), names: [] },
  { pair: await issue("second", "ec", "hidden.example"), names: ["*.wild.example", "Second.Example", "both.example"] },
  { pair: await issue("third", "rsa", "first.example", "second.example", "third.example"), names: [] },
  { pair: await issue("fourth", "ec", "fourth.example", "main.example"), names: ["a.wild.example", "*.wild.example", "127.0.0.1"] },
  { pair: await issue("common.example", "ec", "else.example"), names: [] },
]

describe("certificates by name", () => {
  const start = (options: Partial<Options> = {}): Promise<AuthenticationServer> => {
    const files = pairFiles()
    return startWithPair(main, {
      ...options,
      "tls-sni-cert-key": named.map(({ pair, names }, index) => ({ ...files(`named-${index}`, pair), names })),
    })
  }

  test("are chosen in the order of precedence of the reference", async () => {
    const { port } = await start()
    const expected: readonly (readonly [asked: string | undefined, served: string])[] = [
      ["first.example", "first"],
      ["FIRST.example", "first"],
      ["second.example", "second"],
      ["third.example", "third"],
      // Names that were given go before a certificate's own names, earlier pairs before later ones.
      ["both.example", "second"],
      ["b.wild.example", "second"],
      // Equal names go before wildcards, which stand for one label.
      ["a.wild.example", "fourth"],
      ["c.b.wild.example", "main"],
      ["wild.example", "main"],
      ["common.example", "common.example"],
      ["else.example", "common.example"],
      ["shared.example", "first"],
      // No pattern, only certificates: the listener's own goes first, then the pairs in their order.
      ["main.example", "main"],
      ["hidden.example", "second"],
      ["fourth.example", "fourth"],
      ["unknown.example", "main"],
      // Without a name, the address to which the client has connected decides.
      [undefined, "fourth"],
    ]
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const served: (readonly [string | undefined, string])[] = []
      for (const [servername] of expected) {
        const versions = { minVersion: version, maxVersion: version }
        served.push([servername, await servedName({ port, ...versions, ...(servername !== undefined && { servername }) })])
      }
      expect(served).toEqual(expected)
    }
  })

  test.each(["own", "node"] as const)("serve requests, also if the first message arrives byte by byte (%s)", async (implementation) => {
    const { port } = await start({ "http2-implementation": implementation })
    const slow = await slowWire(port)
    for (const servername of ["third.example", "main.example"]) {
      const socket = await connected({ port: slow, servername, ALPNProtocols: ["http/1.1"] })
      expect(socket.getPeerX509Certificate()?.checkHost(servername)).toBe(servername)
      socket.write("GET /version HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      // No credential was sent.
      expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 401 /)
      const session = connectHttp2(`https://${servername}`, {
        createConnection: () => connect({ host: "127.0.0.1", port: slow, ca: authority.certificate, servername, ALPNProtocols: ["h2"] }),
      })
      onTestFinished(() => session.destroy())
      const [head] = await once(session.request({ ":path": "/version" }), "response")
      expect(head[":status"]).toBe(401)
    }
  })
})

/** A port that passes a client's bytes on one by one, each in a turn of its own; `received` gets the server's bytes. */
async function slowWire(port: number, received: Buffer[] = []): Promise<number> {
  const open = new Set<Socket>()
  const server = createTcpServer((client) => {
    const upstream = connectTcp({ port, host: "127.0.0.1", noDelay: true })
    for (const socket of [client, upstream]) open.add(socket.on("error", () => undefined))
    upstream.on("data", (chunk) => received.push(chunk)).pipe(client)
    void (async () => {
      for await (const chunk of client as AsyncIterable<Buffer>)
        for (const byte of chunk) await new Promise((resolve) => upstream.write(Buffer.of(byte), resolve))
      upstream.end()
    })().catch(() => upstream.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port // A listening TCP server has one.
}

describe("changed files", () => {
  test("are taken up once they fit, and open connections go on", async () => {
    const files = pairFiles()
    const [before, namedBefore, namedAfter] = [
      await issue("before", "ec"),
      await issue("named before", "ec"),
      await issue("named after", "ec"),
    ]
    const main = files("main", before)
    const named = files("named", namedBefore)
    const server = await startServerWith({
      "tls-cert-file": main.certificate,
      "tls-private-key-file": main.key,
      "tls-sni-cert-key": [{ ...named, names: ["named.example"] }],
    })
    const { port, log, untilRead } = server
    const served = async (): Promise<string[]> => [await servedName({ port }), await servedName({ port, servername: "named.example" })]
    const logs = (text: string) => untilRead(() => log.some((line) => line.includes(text)))
    const open = [await connected({ port, ALPNProtocols: ["http/1.1"] }), await connected({ port, servername: "named.example" })]
    expect(await served()).toEqual(["before", "named before"])
    writeFileSync(main.certificate, rsaPair.certificate)
    await logs(`${main.certificate} has changed and cannot be used; the certificate before it stays in force`)
    writeFileSync(named.certificate, namedAfter.certificate.slice(0, 300))
    await logs(`${named.certificate} has changed and cannot be used; the certificate before it stays in force`)
    expect(await served()).toEqual(["before", "named before"])
    writeFileSync(main.key, rsaPair.key)
    await logs("--tls-cert-file: the changed certificate is in force")
    expect(await served()).toEqual(["rsa", "named before"])
    writeFileSync(named.certificate, namedAfter.certificate)
    writeFileSync(named.key, namedAfter.key)
    await logs("--tls-sni-cert-key: the changed certificate is in force")
    expect(await served()).toEqual(["rsa", "named after"])
    for (const socket of open) {
      socket.write("GET /version HTTP/1.1\r\nhost: a\r\n\r\n")
      expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 401 /)
    }
  })

  test("a changed authority of clients is named to those that connect then", async () => {
    const file = testFolder()
    const [first, second] = [await createTestAuthority("clients-one"), await createTestAuthority("clients-two")]
    const path = file("ca.crt", first.certificate)
    const server = await startServerWith({
      "client-ca-file": path,
      "tls-sni-cert-key": [{ ...pairFiles()("named", main), names: ["named.example"] }],
    })
    const heard = async (): Promise<string[]> => [await plainBytes(server.port), await plainBytes(server.port, "named.example")]
    for (const bytes of await heard()) {
      expect(bytes).toContain("clients-one")
      expect(bytes).not.toContain("clients-two")
    }
    writeFileSync(path, second.certificate)
    let bytes = await heard()
    while (!bytes[0]?.includes("clients-two")) {
      await server.untilRead(() => true)
      server.clock.advance(1000)
      bytes = await heard()
    }
    for (const each of bytes) expect(each).not.toContain("clients-one")
    expect(bytes[1]).toContain("clients-two")
  })
})

/** The server's bytes in a TLS 1.2 handshake, whose messages are not encrypted until its end. */
async function plainBytes(port: number, servername?: string): Promise<string> {
  const received: Buffer[] = []
  const socket = await connected({
    port: await slowWire(port, received),
    maxVersion: "TLSv1.2",
    ...(servername !== undefined && { servername }),
  })
  socket.destroy()
  return Buffer.concat(received).toString("latin1")
}

describe("versions, cipher suites and curves", () => {
  const old = { ciphers: "DEFAULT:@SECLEVEL=0", minVersion: "TLSv1" } as const
  const versionOf = async (asked: Asked): Promise<string | null> => {
    const socket = await handshake(asked)
    return typeof socket === "string" ? null : socket.getProtocol()
  }

  test.each([
    [undefined, [null, null, "TLSv1.2", "TLSv1.3"]],
    ["VersionTLS10", ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]],
    ["VersionTLS11", [null, "TLSv1.1", "TLSv1.2", "TLSv1.3"]],
    ["VersionTLS12", [null, null, "TLSv1.2", "TLSv1.3"]],
    ["VersionTLS13", [null, null, null, "TLSv1.3"]],
  ] as const)("--tls-min-version=%s", async (minVersion, expected) => {
    const { port, log } = await startServerWith(minVersion === undefined ? {} : { "tls-min-version": minVersion })
    const spoken: (string | null)[] = []
    for (const maxVersion of ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const) spoken.push(await versionOf({ port, ...old, maxVersion }))
    expect(spoken).toEqual(expected)
    expect(log.some((line) => line.includes("insecure version"))).toBe(expected[1] !== null)
  })

  const suiteOf = async (asked: Asked): Promise<string> => {
    const socket = await handshake({ maxVersion: "TLSv1.2", ...asked })
    return typeof socket === "string" ? "none" : socket.getCipher().standardName
  }
  const weak = "AES128-SHA:AES256-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256"

  test("by default those of the reference are spoken, in its order", async () => {
    const { port } = await startWithPair(rsaPair)
    expect(await suiteOf({ port })).toBe("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    expect(await suiteOf({ port, ciphers: "ECDHE-RSA-AES256-SHA:ECDHE-RSA-CHACHA20-POLY1305" })).toBe(
      "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    )
    expect(await suiteOf({ port, ciphers: "ECDHE-RSA-AES256-SHA" })).toBe("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA")
    expect(await suiteOf({ port, ciphers: weak })).toBe("none")
    expect(await suiteOf({ port, maxVersion: "TLSv1.3" })).toBe("TLS_AES_128_GCM_SHA256")
  })

  test("--tls-cipher-suites names those of TLS 1.2, and an insecure one is warned of", async () => {
    const { port, log } = await startWithPair(rsaPair, {
      "tls-cipher-suites": ["TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],
    })
    expect(await suiteOf({ port })).toBe("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    expect(await suiteOf({ port, ciphers: weak })).toBe("TLS_RSA_WITH_AES_128_GCM_SHA256")
    expect(await suiteOf({ port, ciphers: "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-CHACHA20-POLY1305:AES128-SHA" })).toBe("none")
    expect(await suiteOf({ port, maxVersion: "TLSv1.3", ciphers: "TLS_AES_256_GCM_SHA384" })).toBe("TLS_AES_256_GCM_SHA384")
    expect(log.filter((line) => line.includes("insecure suite"))).toEqual([expect.stringContaining("TLS_RSA_WITH_AES_128_GCM_SHA256")])
  })

  test("the curves are those of the reference, in its order", async () => {
    const { port } = await startWithPair(rsaPair)
    const curveOf = async (ecdhCurve: string): Promise<unknown> => {
      const socket = await handshake({ port, ecdhCurve, maxVersion: "TLSv1.2" })
      return typeof socket === "string" ? "none" : Object(socket.getEphemeralKeyInfo()).name
    }
    expect(await curveOf("P-521:P-384:P-256:X25519")).toBe("X25519")
    expect(await curveOf("P-521:P-384:P-256")).toBe("prime256v1")
    expect(await curveOf("P-521")).toBe("secp521r1")
    expect(await curveOf("X448")).toBe("none")
  })
})

test("a chain is sent whole", async () => {
  const pair = await authority.issue()
  const { port } = await startWithPair({ ...pair, certificate: `${pair.certificate}\n${authority.certificate}\n` })
  const socket = await connected({ port, ca: authority.certificate })
  expect(socket.getPeerX509Certificate()?.issuerCertificate?.fingerprint256).toBe(new X509Certificate(authority.certificate).fingerprint256)
})
