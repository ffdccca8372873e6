/** Valid and invalid chains, with certificates made for each case. */
import { X509Certificate } from "node:crypto"
import { beforeAll, describe, expect, test } from "vitest"
import { extension, type Made, makeCertificate, type Making } from "../../../test/support/client-certificates.ts"
import { madeChain, signedChain } from "../../../test/support/made-chains.ts"
import { readCertificate } from "../../encoding/certificate.ts"
import { pemBlocks } from "../../encoding/pem.ts"
import { certificatePool } from "./pool.ts"
import { chainFault } from "./verify-chain.ts"

let root: Made
let middle: Made
beforeAll(async () => {
  root = await makeCertificate({ subject: "CN=root", authority: true })
  middle = await makeCertificate({ subject: "CN=middle", issuer: root, authority: true })
})

function faultOf(leaf: Made, sent: readonly Made[] = [], { roots = [root], nowMs = Date.now() } = {}): string | undefined {
  return chainFault({
    leaf: readCertificate(leaf.x509),
    intermediates: sent.map(({ x509 }) => readCertificate(x509)),
    pool: certificatePool(roots.map(({ certificate }) => certificate).join("")),
    nowMs,
  })
}

const leafOf = (making: Partial<Making> = {}): Promise<Made> => makeCertificate({ subject: "O=dev, CN=alice", issuer: root, ...making })

describe("a chain holds", () => {
  test("to an authority, directly and over others that the client sends in any order", async () => {
    expect(faultOf(await leafOf())).toBeUndefined()
    const low = await makeCertificate({ subject: "CN=low", issuer: middle, authority: true })
    const leaf = await leafOf({ issuer: low })
    for (const sent of [
      [low, middle],
      [middle, low],
      [root, middle, middle, low],
    ])
      expect(faultOf(leaf, sent)).toBeUndefined()
  })

  test("when an authority between is one of the file, and when the client's certificate itself is", async () => {
    const leaf = await leafOf({ issuer: middle })
    expect(faultOf(leaf, [], { roots: [middle] })).toBeUndefined()
    expect(faultOf(leaf, [], { roots: [leaf] })).toBeUndefined()
  })

  test("over another path when the first does not", async () => {
    const renewed = await makeCertificate({ subject: "CN=middle", issuer: root, authority: true, keys: middle.keys })
    const expired = await makeCertificate({
      subject: "CN=middle",
      issuer: root,
      authority: true,
      keys: middle.keys,
      untilMs: Date.now() - 1000,
    })
    const leaf = await leafOf({ issuer: middle })
    expect(faultOf(leaf, [expired, renewed])).toBeUndefined()
    expect(faultOf(leaf, [expired])).toMatch(/expired/)
  })

  test.each<readonly NonNullable<Making["usages"]>[number][]>([[], ["any"], ["server", "client"]])(
    "for the usages %j",
    async (...usages) => {
      expect(faultOf(await leafOf({ usages }))).toBeUndefined()
    },
  )

  test("at the edges of its time", async () => {
    const leaf = await leafOf({ fromMs: 1_700_000_000_000, untilMs: 1_700_000_100_000 })
    const old = await makeCertificate({ subject: "CN=root", authority: true, keys: root.keys, fromMs: 0 })
    const at = (nowMs: number) => faultOf(leaf, [], { roots: [old], nowMs })
    expect([at(1_700_000_000_000), at(1_700_000_100_000)]).toEqual([undefined, undefined])
    expect([at(1_699_999_999_999), at(1_700_000_100_001)]).toEqual(Array(2).fill("x509: certificate has expired or is not yet valid"))
  })
})

describe("a chain does not hold", () => {
  const unknown = "x509: certificate signed by unknown authority"
  test("to an authority of another file, nor to one with the same name and another key", async () => {
    const other = await makeCertificate({ subject: "CN=root", authority: true })
    expect(faultOf(await leafOf({ issuer: other }))).toBe(unknown)
    expect(faultOf(await leafOf({ issuer: middle }))).toBe(unknown)
    expect(faultOf(await makeCertificate({ subject: "CN=alice" }))).toBe(unknown)
  })

  test("through a certificate that is no authority", async () => {
    const user = await leafOf({ keyUsage: "none" })
    const leaf = await leafOf({ issuer: user })
    expect(faultOf(leaf, [user])).toMatch(/not authorized to sign/)
    expect(faultOf(leaf, [], { roots: [user] })).toMatch(/not authorized to sign/)
    const unsure = await leafOf({ authority: true, keyUsage: 0x80 })
    expect(faultOf(await leafOf({ issuer: unsure }), [unsure])).toMatch(/cannot sign/)
  })

  test("through one of version 1, which cannot say that it is an authority; the file of authorities may have one", () => {
    const blocks = pemBlocks(signedChain(3, [1]).certificate)
    const [leaf, between, top] = blocks.map(({ bytes }) => readCertificate(new X509Certificate(bytes)))
    if (leaf === undefined || between === undefined || top === undefined) throw new Error("no chain")
    expect([leaf.version, between.version, top.version]).toEqual([3, 1, 3])
    const faultUnder = ({ x509 }: typeof top) =>
      chainFault({ leaf, intermediates: [between], pool: certificatePool(x509.toString()), nowMs: Date.now() })
    expect(faultUnder(top)).toBe("x509: certificate is not authorized to sign other certificates")
    expect(faultUnder(between)).toBeUndefined()
  })

  test("over more authorities than one allows", async () => {
    const short = await makeCertificate({ subject: "CN=short", authority: { pathLength: 0 } })
    const below = await makeCertificate({ subject: "CN=below", issuer: short, authority: true })
    expect(faultOf(await leafOf({ issuer: short }), [], { roots: [short] })).toBeUndefined()
    expect(faultOf(await leafOf({ issuer: below }), [below], { roots: [short] })).toMatch(/path length/)
  })

  test("for another use, whichever of its certificates says so", async () => {
    const wrong = "x509: certificate specifies an incompatible key usage"
    expect(faultOf(await leafOf({ usages: ["server"] }))).toBe(wrong)
    const forServers = await makeCertificate({ subject: "CN=servers", issuer: root, authority: true, usages: ["server"] })
    expect(faultOf(await leafOf({ issuer: forServers }), [forServers])).toBe(wrong)
    expect(faultOf(await leafOf({ issuer: forServers }), [], { roots: [forServers] })).toBe(wrong)
    const trusted = await leafOf({ usages: ["server"] })
    expect(faultOf(trusted, [], { roots: [trusted] })).toBe(wrong)
  })

  test("outside of the time of any of its certificates", async () => {
    const past = { fromMs: Date.now() - 20_000, untilMs: Date.now() - 10_000 }
    const future = { fromMs: Date.now() + 60_000 }
    for (const time of [past, future]) {
      expect(faultOf(await leafOf(time))).toMatch(/expired or is not yet valid/)
      const between = await makeCertificate({ subject: "CN=between", issuer: root, authority: true, ...time })
      expect(faultOf(await leafOf({ issuer: between }), [between])).toMatch(/expired or is not yet valid/)
      const top = await makeCertificate({ subject: "CN=top", authority: true, ...time })
      expect(faultOf(await leafOf({ issuer: top }), [], { roots: [top] })).toMatch(/expired or is not yet valid/)
    }
  })

  test("with a signature that can be forged", async () => {
    expect(faultOf(await leafOf({ hash: "SHA-1" }))).toMatch(/insecure or unknown algorithm 1\.2\.840\.10045\.4\.1$/)
  })

  test("with a critical extension that nothing knows; others are passed over", async () => {
    const made = (critical: boolean) => leafOf({ extensions: [extension("1.2.3.4", critical, Buffer.from([5, 0]))] })
    expect(faultOf(await made(true))).toBe("x509: unhandled critical extension 1.2.3.4")
    expect(faultOf(await made(false))).toBeUndefined()
  })

  test("below an authority that constrains names, unless it has none", async () => {
    const constrained = await makeCertificate({
      subject: "CN=constrained",
      authority: true,
      // NameConstraints that permit example.com.
      extensions: [extension("2.5.29.30", true, Buffer.from("3011a00f300d820b6578616d706c652e636f6d", "hex"))],
    })
    expect(faultOf(await leafOf({ issuer: constrained }), [], { roots: [constrained] })).toBeUndefined()
    expect(faultOf(await leafOf({ issuer: constrained, dnsName: "evil.net" }), [], { roots: [constrained] })).toMatch(/constrains names/)
  })

  test("in a circle, nor over paths without end", async () => {
    const keys = {
      a: await makeCertificate({ subject: "CN=a", authority: true }),
      b: await makeCertificate({ subject: "CN=b", authority: true }),
    }
    const a = await makeCertificate({ subject: "CN=a", issuer: keys.b, authority: true, keys: keys.a.keys })
    const b = await makeCertificate({ subject: "CN=b", issuer: keys.a, authority: true, keys: keys.b.keys })
    expect(faultOf(await leafOf({ issuer: keys.a }), [a, b, keys.a, keys.b])).toBe(unknown)
  })

  test("through a key whose signatures cost much to check", () => {
    for (const [keys, why] of [
      ["RSA with a long exponent", /x509: the public exponent of an RSA key has more than 31 bits/],
      ["RSA of 16384 bits", /x509: an RSA key has more than 8192 bits/],
      ["another curve", /x509: the elliptic curve .* is not used/],
    ] as const) {
      const [leaf, signer] = pemBlocks(madeChain(keys, 2).certificate).map(({ bytes }) => readCertificate(new X509Certificate(bytes)))
      if (leaf === undefined || signer === undefined) throw new Error("no chain")
      expect(chainFault({ leaf, intermediates: [signer], pool: certificatePool(root.certificate), nowMs: Date.now() })).toMatch(why)
    }
  })

  test("when its paths need more signatures than are checked", async () => {
    // Eight authorities, each signed by all others: some hundred thousand paths, none of which ends.
    const names = [..."abcdefgh"]
    const own = await Promise.all(names.map((name) => makeCertificate({ subject: `CN=${name}`, authority: true })))
    const crossed = await Promise.all(
      own.flatMap((issuer) =>
        own.filter((each) => each !== issuer).map(({ keys, subject }) => makeCertificate({ subject, issuer, authority: true, keys })),
      ),
    )
    const [issuer] = own
    expect(faultOf(await leafOf({ ...(issuer !== undefined && { issuer }) }), crossed)).toMatch(/attempts limit reached/)
  })
})

describe("a file of authorities", () => {
  test("may hold other blocks and a certificate twice", () => {
    const key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    expect(certificatePool(`text\n${key}${root.certificate}${root.certificate}`).certificates.length).toBe(1)
  })
  test.each([
    ["", /no certificate/],
    ["hello", /no certificate/],
    ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", /its certificate 1 cannot be read/],
  ])("%j is refused", (text, why) => {
    expect(() => certificatePool(text)).toThrow(why)
  })
})
