/** Tokens of service accounts and of an OpenID Connect provider: only the token that was signed is accepted. */
import { createHmac, type KeyObject, sign, webcrypto } from "node:crypto"
import { exportJWK, SignJWT } from "jose"
import { AuthenticationError } from "../../../runtime/authn/authenticate.ts"
import type { JwtAuthenticator } from "../../../runtime/authn/oidc/jwt-authenticator.ts"
import { jwtTokens } from "../../../runtime/authn/oidc/jwt-tokens.ts"
import { Provider } from "../../../runtime/authn/oidc/provider.ts"
import { serviceAccountTokens } from "../../../runtime/authn/service-accounts/authenticator.ts"
import { createTokenIssuer } from "../../../runtime/authn/service-accounts/issuer.ts"
import { type SigningKey, signingKeyIn } from "../../../runtime/authn/service-accounts/keys.ts"
import type { TokenLookUp } from "../../../runtime/authn/tokens/kept-tokens.ts"
import { systemRandom } from "../../../runtime/base/random.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"
import { createManualClock } from "../../contract/manual-clock.ts"
import type { SeededRandom } from "../../sim/world/random.ts"
import { privateKeyPem, testIssuer, tokenOfSecret } from "../../support/account-keys.ts"
import { nonEmpty } from "../objects.ts"
import { hostileText, mutated, nearly } from "../texts.ts"
import type { Sort } from "./sort.ts"

const vendor = vendorProfile("kubernetes")
const audiences = ["server"]
const providerIssuer = "https://provider.example.com"

interface World {
  readonly lookUp: TokenLookUp
  /** Signed by a key of the server, or of the provider. */
  readonly good: readonly string[]
  /** PEM of the public keys, with which a forger might sign. */
  readonly publicPems: readonly string[]
  /** A key that the server does not know. */
  readonly forger: SigningKey
}

export const tokens: Sort = async () => {
  const worlds = nonEmpty([await accounts(), await provider()])
  return {
    take(random) {
      const world = random.pick(worlds)
      const original = random.pick(nonEmpty(world.good))
      return judge(world.lookUp, { original, token: drawn(random, world, original) })
    },
  }
}

/** Returns the fault: another token than the original was accepted, or the error is no refusal. */
export async function judge(lookUp: TokenLookUp, { original, token }: { original: string; token: string }): Promise<string | undefined> {
  try {
    const identity = await lookUp(token, audiences)
    if (identity === undefined) return original === token ? "the token itself is not known" : undefined
    return isSame(original, token) ? undefined : `it is ${identity.user.name}: ${token}`
  } catch (error) {
    if (error instanceof AuthenticationError) return original === token ? `the token itself is refused: ${error.message}` : undefined
    return `it threw ${error instanceof Error ? error.stack : String(error)} for ${token.slice(0, 2000)}`
  }
}

/** Whether both have the same signed text, and the same signature bytes, which base64url may write in several ways. */
function isSame(original: string, token: string): boolean {
  const [one, other] = [original.split("."), token.split(".")]
  const signature = (parts: readonly string[]): string => Buffer.from(parts[2] ?? "", "base64url").toString("hex")
  return other.length === 3 && one[0] === other[0] && one[1] === other[1] && signature(one) === signature(other)
}

function drawn(random: SeededRandom, world: World, original: string): string {
  const [head = "", payload = "", signature = ""] = original.split(".")
  const choice = random.integer(12)
  if (choice === 0) return original
  if (choice === 1) return hostileText(random, random.pick([50, 15_000]))
  if (choice === 2) return nearly(random, [original, head, `${head}.${payload}`], 16_000)
  if (choice < 6) return mutated(random, Buffer.from(original)).toString("latin1").slice(0, 16_000)
  if (choice === 6)
    return [head, payload, mutated(random, Buffer.from(signature, "base64url")).toString("base64url")].join(".").slice(0, 16_000)
  if (choice === 7) return original.replace(/.$/, random.pick(["A", "Q", "g", "w", "", "=", "-", "~", "\n"]))
  if (choice === 8) return oneBit(random, original)
  const header = changedHeader(random, jsonOf(head), world)
  const claims = random.chance(0.5) ? changedClaims(random, jsonOf(payload)) : jsonOf(payload)
  if (choice === 9) return signed(header, claims, world.forger.privateKey)
  const text = `${encoded(header)}.${encoded(claims)}`
  if (choice === 10) return `${text}.${random.pick([signature, "", "AAAA"])}`
  const secret = random.pick(nonEmpty([...world.publicPems, "", "secret"]))
  return `${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}.${createHmac("sha256", secret)
    .update(`${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}`)
    .digest("base64url")}`
}

function oneBit(random: SeededRandom, text: string): string {
  const bytes = Buffer.from(text)
  const at = random.integer(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(7))
  return bytes.toString("latin1")
}

type Fields = Readonly<Record<string, unknown>>

function jsonOf(part: string): Fields {
  const value: Fields = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
  return value
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

function changedHeader(random: SeededRandom, header: Fields, { forger }: World): Fields {
  const jwk = forger.publicKey.export({ format: "jwk" })
  const changes = nonEmpty<Fields>([
    { alg: random.pick(["none", "None", "HS256", "RS256", "ES256", "PS256", "EdDSA", "", "ES384"]) },
    { kid: random.pick(["", "../../etc/passwd", "0", "' or 1=1", "constructor", "__proto__"]) },
    { kid: 5 },
    { alg: ["ES256"] },
    { alg: null },
    { crit: ["exp"], exp: 1 },
    { crit: ["b64"], b64: false },
    { b64: false },
    { jwk },
    { jku: "https://evil.example.com/keys" },
    { x5u: "https://evil.example.com/chain" },
    { x5c: ["AAAA"] },
    { zip: "DEF" },
    { typ: "JWE", enc: "A128GCM" },
    {},
  ])
  return { ...header, ...random.pick(changes), ...(random.chance(0.3) && random.pick(changes)) }
}

function changedClaims(random: SeededRandom, claims: Fields): Fields {
  const changes = nonEmpty<Fields>([
    { sub: "system:serviceaccount:kube-system:admin" },
    { aud: random.pick<unknown>(["server", ["server"], "other", [], {}, 5]) },
    { exp: random.pick<unknown>([9e9, 1, "9e9", -1, null, 2 ** 60]) },
    { nbf: random.pick<unknown>([9e9, 0, "x"]) },
    { iss: random.pick<unknown>(["kubernetes/serviceaccount", "", 5, [testIssuer], providerIssuer]) },
    { "kubernetes.io": random.pick<unknown>([null, [], { namespace: "kube-system", serviceaccount: { name: "admin", uid: "x" } }, "x"]) },
    { groups: ["system:masters"] },
    { constructor: 1, toString: 2, "\u0000": 3 },
  ])
  return { ...claims, ...random.pick(changes) }
}

async function accounts(): Promise<World> {
  const clock = createManualClock(Date.now())
  const keys = (["P-256", "rsa", "P-384"] as const).map((sort) => signingKeyIn(privateKeyPem(sort)))
  const forger = signingKeyIn(privateKeyPem("P-256"))
  const account = { namespace: "n", name: "a", uid: "u" }
  const issue = (key: (typeof keys)[number]): Promise<string> =>
    createTokenIssuer({ key, issuer: testIssuer, audiences, extendsExpiration: false, clock, random: systemRandom, vendor }).issue({
      ...{ account, audiences, seconds: 3600 },
    })
  const [first] = keys
  const ofSecret = first === undefined ? "" : await tokenOfSecret(first, { namespace: "n", secret: "s", account })
  const lookUp = serviceAccountTokens({
    ...{ tokens: { keys, issuers: [testIssuer], lookup: true }, audiences, clock, vendor },
    ...{ noteUse: () => undefined, meter: { used: () => undefined } },
    read: async (resource, _namespace, name) => {
      if (resource === "secrets" && name === "s") return { metadata: { name }, data: { token: Buffer.from(ofSecret).toString("base64") } }
      return resource === "serviceaccounts" && name === "a" ? { metadata: { name, uid: "u" } } : undefined
    },
  })
  return {
    lookUp,
    good: [...(await Promise.all(keys.map(issue))), ofSecret],
    publicPems: keys.map(({ publicKey }) => publicKey.export({ format: "pem", type: "spki" }).toString()),
    forger,
  }
}

async function provider(): Promise<World> {
  const clock = createManualClock(Date.now())
  const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }
  const pair = await webcrypto.subtle.generateKey(rsa, true, ["sign", "verify"])
  const forger = signingKeyIn(privateKeyPem("P-256"))
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256", use: "sig" }
  const client = {
    get: async (url: string): Promise<Fields> =>
      url.endsWith("/keys") ? { keys: [jwk] } : { issuer: providerIssuer, jwks_uri: `${providerIssuer}/keys` },
    token: async () => "",
  }
  const ends = { onReady: () => undefined, onFault: () => undefined }
  const source = new Provider({ issuer: providerIssuer, discoveryUrl: undefined, retries: false, client, clock, ...ends })
  const authenticator: JwtAuthenticator = {
    ...{ issuer: providerIssuer, discoveryUrl: undefined, authorities: undefined, audiences: ["server"], algorithms: ["RS256"] },
    username: { claim: "sub", prefix: "" },
    groups: { claim: "groups", prefix: "" },
    ...{ uid: undefined, extra: [], requiredClaims: [], claimRules: [], userRules: [] },
  }
  const lookUp = jwtTokens({ issuers: [{ authenticator, client, provider: source }], clock, meter: () => undefined })
  const now = Math.floor(clock.nowMs() / 1000)
  const good = await new SignJWT({ iss: providerIssuer, aud: "server", sub: "jane", exp: now + 3600 })
    .setProtectedHeader({ alg: "RS256", kid: "k" })
    .sign(pair.privateKey)
  const spki = Buffer.from(await webcrypto.subtle.exportKey("spki", pair.publicKey)).toString("base64")
  return { lookUp, good: [good], publicPems: [`-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`], forger }
}

/** Signs with the forger's key, whatever the header says. */
function signed(header: object, payload: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(payload)}`
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
}
