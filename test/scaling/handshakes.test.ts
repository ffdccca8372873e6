/**
 * Cost of a TLS handshake: the chain of the other end reaches OpenSSL only if its signatures are few and cheap. The
 * tests look at what is broken off, and count turns; they do not measure time.
 */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { connect as connectHttp2 } from "node:http2"
import { createServer, get } from "node:https"
import { type AddressInfo, connect as connectTcp } from "node:net"
import { join } from "node:path"
import { connect, type ConnectionOptions, type SecureVersion } from "node:tls"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { CertificateTurns } from "../../runtime/http/certificate-turns.ts"
import { sentCertificates } from "../../runtime/http/client-certificates.ts"
import type { App } from "../../runtime/http/env.ts"
import { type Listener, listen } from "../../runtime/http/listen.ts"
import { inMemoryPair, type ServingPair } from "../../runtime/launch/certificates.ts"
import { connectTls } from "../../runtime/tls/connect.ts"
import { certificateChargeFactor, certificateCheckFreeMs } from "../../runtime/tls/limits.ts"
import { createManualClock } from "../contract/manual-clock.ts"
import { type ChainKeys, madeChain, type MadeChain, signedChain } from "../support/made-chains.ts"

const versions: readonly SecureVersion[] = ["TLSv1.2", "TLSv1.3"]
const tooMany = /more than 12 certificates|more than \d+ bytes/
/** Chains of 100 KB with keys of all sorts, and short ones whose keys are refused. */
const costly: readonly (readonly [ChainKeys, number, RegExp])[] = [
  ["RSA with a long exponent", 75, tooMany],
  ["RSA with a long exponent", 3, /exponent of an RSA key has more than 31 bits/],
  ["RSA of 16384 bits", 20, tooMany],
  ["RSA of 16384 bits", 3, /RSA key has more than 8192 bits/],
  ["RSA of 4096 bits", 80, tooMany],
  ["DSA of 10000 bits", 25, tooMany],
  ["DSA of 10000 bits", 3, /keys of the algorithm 1\.2\.840\.10040\.4\.1 are not used/],
  ["DSA of 2048 bits", 3, /are not used/],
  ["a binary curve", 150, tooMany],
  ["a binary curve", 3, /elliptic curve 1\.3\.132\.0\.39 is not used/],
  ["a curve of its own", 3, /without a name is not used/],
  ["another curve", 3, /is not used/],
  ["P-256", 150, tooMany],
  ["P-521", 150, tooMany],
  ["Ed25519", 150, tooMany],
  ["Ed448", 3, /are not used/],
]

let pair: ServingPair
beforeAll(async () => {
  pair = await inMemoryPair({ names: ["127.0.0.1"], clock: systemClock })
})

/** Called within a test, which stops the listener. Each test has its own, since warnings are limited by time. */
async function listening(): Promise<Pick<Listener, "port"> & { readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  const app: App = (incoming, outgoing) => void outgoing.end(Buffer.from(`${sentCertificates(incoming.socket).length} certificates`))
  const { port, close } = await listen({
    app,
    host: "127.0.0.1",
    port: 0,
    tls: { ...pair, clientAuthorities: pair.authority },
    warn: (_message, facts) => warnings.push(JSON.stringify(facts)),
  })
  onTestFinished(() => close({ graceMs: 0, clock: systemClock }))
  return { port, warnings }
}

/** Options for OpenSSL's own client, which would refuse some of these keys. */
function optionsOf(version: SecureVersion, { certificate, key }: MadeChain): ConnectionOptions {
  const weak = { ciphers: "DEFAULT@SECLEVEL=0", rejectUnauthorized: false }
  return { host: "127.0.0.1", ...weak, minVersion: version, maxVersion: version, cert: certificate, key }
}

describe.each(versions)("over %s", (version) => {
  test.each(costly)("a client is cut off before its chain is checked: %s, %i of them", async (keys, length, reason) => {
    const { port, warnings } = await listening()
    const socket = connect({ ...optionsOf(version, madeChain(keys, length)), port })
    socket.on("error", () => undefined)
    socket.resume()
    // An accepted handshake gets an answer and ends, too.
    socket.once("secureConnect", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
    await new Promise((resolve) => void socket.once("close", resolve))
    expect(warnings.join()).toMatch(reason)
  })

  test.each(costly)("so is a server that this one asks: %s, %i of them", async (keys, length, reason) => {
    const { certificate, key } = madeChain(keys, length)
    const port = await serving(certificate, key, version)
    const stream = connectTls(connectTcp(port, "127.0.0.1"), { host: "127.0.0.1", rejectUnauthorized: false })
    const fault = await new Promise((resolve) => void stream.once("error", resolve).once("secureConnect", () => resolve("it was taken")))
    stream.destroy()
    expect(String(fault)).toMatch(reason)
  })

  test("ten certificates with keys of 4096 bits are taken, from clients over both protocols and from servers", async () => {
    const chain = signedChain(10)
    const { port, warnings } = await listening()
    const options = { ...optionsOf(version, chain), port }
    expect(await textOf(options)).toBe("10 certificates")
    const session = connectHttp2(`https://127.0.0.1:${port}`, options)
    onTestFinished(() => session.destroy())
    const stream = session.request({ ":path": "/" }).setEncoding("utf8")
    expect((await stream.toArray()).join("")).toBe("10 certificates")
    const other = await serving(chain.certificate, chain.key, version)
    const asking = connectTls(connectTcp(other, "127.0.0.1"), { host: "127.0.0.1", rejectUnauthorized: false })
    onTestFinished(() => void asking.destroy())
    await once(asking, "secureConnect")
    expect(warnings).toEqual([])
  })
})

/** A server with the lowest security level: at the usual one, OpenSSL does not load some of these chains. */
async function serving(cert: string, key: string, version: SecureVersion): Promise<number> {
  const server = createServer({ cert, key, ciphers: "DEFAULT@SECLEVEL=0", minVersion: version, maxVersion: version })
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  return (server.address() as AddressInfo).port // A TCP server has one.
}

function textOf(options: ConnectionOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ ...options, agent: false }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += String(chunk)))
      response.on("end", () => resolve(text))
    }).on("error", reject)
  })
}

test("a client cannot begin a second handshake, in which nothing would look at its chain", async () => {
  const { port } = await listening()
  const socket = connect({ ...optionsOf("TLSv1.2", madeChain("P-256", 1)), port })
  onTestFinished(() => void socket.destroy())
  await once(socket, "secureConnect")
  const fault = await new Promise((resolve) => {
    socket.once("error", resolve)
    socket.renegotiate({ rejectUnauthorized: false }, resolve)
  })
  expect(String(fault)).toMatch(/no.renegotiation/i)
})

test("the checks of many clients take a turn of the event loop each, and addresses take turns", async () => {
  const turns = new CertificateTurns(createManualClock())
  const taken: string[] = []
  let turn = 0
  for (const address of ["a", "a", "a", "b", "c"]) turns.wait(address, () => taken.push(`${address}${turn}`))
  for (; taken.length < 5; turn++) await new Promise(setImmediate)
  expect(taken).toEqual(["a0", "b1", "c2", "a3", "a4"])
})

test("an address waits for what its checks have taken, and no other address does", async () => {
  const clock = createManualClock()
  let usedMs = 0
  const turns = new CertificateTurns(clock, () => usedMs)
  const taken: string[] = []
  turns.wait("slow", () => (usedMs += certificateCheckFreeMs + 10))
  for (const address of ["slow", "usual", "usual"]) turns.wait(address, () => taken.push(address))
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect(taken).toEqual(["usual", "usual"])
  clock.advance(10 * certificateChargeFactor)
  await expect.poll(() => taken).toEqual(["usual", "usual", "slow"])
})

test("no file of the server opens TLS past the guard", () => {
  const root = fileURLToPath(new URL("../../runtime/", import.meta.url))
  /** Files that need no guard, and why. */
  const allowed: Readonly<Record<string, string>> = {
    "tls/connect.ts": "it is the guard's place",
    "storage/etcd/handshake.ts": "etcd has everything that the server has, and its client does not come from here",
    "launch/tls-settings.ts": "both ends are in memory",
    "definitions/check/record.ts": "no part of the server: it records what the reference answers",
    "definitions/rules/record.ts": "as above",
    "commands/openapi.ts": "it asks the server of its own process",
  }
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => opensTls(readFileSync(join(root, file), "utf8")))
  expect(found.filter((file) => !(file in allowed)).sort()).toEqual([])
})

/** A request of node:https must have the guarded agent. */
function opensTls(text: string): boolean {
  if (/(?:globalThis\.|await |return )fetch\(|"undici"/.test(text)) return true
  for (const [, names = "", from] of text.matchAll(/^import \{([^}]*)\} from "node:(tls|https|http2)"/gm)) {
    const values = names.split(",").filter((name) => !/^\s*type\s/.test(name))
    const opens = values.some((name) => /^\s*(?:connect|request|get|Agent)\b/.test(name))
    if (opens && !(from === "https" && text.includes("new GuardedAgent("))) return true
  }
  return false
}
