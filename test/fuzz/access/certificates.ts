/** Client certificates, mutated byte by byte, over real TLS handshakes: none that was not signed is accepted. */
import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSecureContext } from "node:tls"
import { chainFault } from "../../../runtime/authn/certificates/verify-chain.ts"
import { certificatePool } from "../../../runtime/authn/certificates/pool.ts"
import { readCertificate } from "../../../runtime/encoding/certificate.ts"
import type { SeededRandom } from "../../sim/world/random.ts"
import { type Made, makeCertificate } from "../../support/client-certificates.ts"
import { nonEmpty } from "../objects.ts"
import { mutated } from "../texts.ts"
import { type AccessServer, startAccessServer } from "./server.ts"
import type { Sort } from "./sort.ts"

export const certificates: Sort = async () => {
  const root = await makeCertificate({ subject: "CN=root", authority: true })
  const middle = await makeCertificate({ subject: "CN=middle", issuer: root, authority: true })
  const alice = await makeCertificate({ subject: "O=dev, CN=alice", issuer: root })
  const bob = await makeCertificate({ subject: "CN=bob", issuer: middle })
  const folder = mkdtempSync(join(tmpdir(), "fuzz-certificates-"))
  writeFileSync(join(folder, "ca.crt"), root.certificate)
  const server = await startAccessServer({ "client-ca-file": join(folder, "ca.crt") })
  const pool = certificatePool(root.certificate)
  const chains = nonEmpty<readonly Made[]>([[alice], [bob, middle]])
  return {
    async take(random) {
      const chain = random.pick(chains)
      const at = random.integer(chain.length)
      const sent = chain.map(({ x509 }, index) => (index === at ? changed(random, x509.raw) : x509.raw))
      const [leaf, ...between] = sent.map(parsed)
      // OpenSSL cannot send bytes that it does not read as a certificate; bytes after a certificate are not sent.
      if (leaf === undefined || between.includes(undefined)) return undefined
      const isOriginal = [leaf, ...between].every((one, index) => one?.raw.equals(chain[index]?.x509.raw ?? Buffer.alloc(0)))
      return (await overTls(server, { sent, key: chain[0]?.key ?? "", isOriginal })) ?? byItself({ leaf, between, pool, isOriginal })
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function changed(random: SeededRandom, der: Buffer): Buffer {
  const choice = random.integer(10)
  if (choice === 0) return der
  if (choice < 7) {
    const copy = Buffer.from(der)
    for (let times = random.pick([1, 1, 1, 2, 8]); times > 0; times--) {
      const at = random.integer(copy.length)
      copy[at] = random.chance(0.5) ? (copy[at] ?? 0) ^ (1 << random.integer(8)) : random.integer(256)
    }
    return copy
  }
  return mutated(random, der).subarray(0, 20_000)
}

function parsed(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}

interface Sent {
  readonly sent: readonly Buffer[]
  readonly key: string
  readonly isOriginal: boolean
}

async function overTls(server: AccessServer, { sent, key, isOriginal }: Sent): Promise<string | undefined> {
  const cert = sent.map((der) => `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`).join("")
  try {
    createSecureContext({ cert, key })
  } catch {
    // The key no longer matches the certificate.
    return undefined
  }
  const agent = new Agent({ ca: server.authority, cert, key })
  const answer = await new Promise<string>((resolve) => {
    const outgoing = request({ host: "127.0.0.1", port: server.port, agent, path: "/api/v1/namespaces" }, (incoming) => {
      incoming.resume()
      resolve(String(incoming.statusCode))
    })
    outgoing.on("error", () => resolve("the connection ended"))
    outgoing.end()
  })
  agent.destroy()
  if (isOriginal) return answer === "200" ? undefined : `the certificate itself: ${answer}`
  return answer === "401" || answer === "the connection ended" ? undefined : `${answer} for ${cert}`
}

interface Chain {
  readonly leaf: X509Certificate
  readonly between: readonly (X509Certificate | undefined)[]
  readonly pool: ReturnType<typeof certificatePool>
  readonly isOriginal: boolean
}

/** Checks the chain without a handshake, which may refuse a chain before the server sees it. */
function byItself({ leaf, between, pool, isOriginal }: Chain): string | undefined {
  try {
    const intermediates = between.flatMap((one) => (one === undefined ? [] : [readCertificate(one)]))
    const fault = chainFault({ leaf: readCertificate(leaf), intermediates, pool, nowMs: Date.now() })
    return (fault === undefined) === isOriginal ? undefined : `the chain is judged ${JSON.stringify(fault)}: ${leaf.toString()}`
  } catch (error) {
    // Errors of node have a code: for bytes that are no text, for instance. The authenticator refuses for any error.
    const isRefusal = error instanceof Error && ("code" in error || !(error instanceof TypeError || error instanceof RangeError))
    return !isRefusal && error instanceof Error ? `it threw ${error.stack}` : undefined
  }
}
