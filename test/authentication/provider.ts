/** Identity providers: real HTTPS servers in the test's process, whose keys change, and which fail and lie. */
import { webcrypto } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { exportJWK, type JWTPayload, SignJWT } from "jose"
import { onTestFinished } from "vitest"
import { startBackend } from "../support/backend.ts"
import { createTestAuthority } from "../support/certificates.ts"

/** Signs the certificates of all providers. */
export const authority = await createTestAuthority("provider")
const pair = { ...(await authority.issue()), authority: authority.certificate }

/** Claims of a token, also such as no provider makes. */
export type Claims = Readonly<Record<string, unknown>>

export interface Key {
  readonly kid: string
  readonly alg: string
  readonly pair: webcrypto.CryptoKeyPair
}

async function makeKey(kid: string, alg: "RS256" | "ES256" = "RS256"): Promise<Key> {
  const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }
  const algorithm = alg === "RS256" ? rsa : { name: "ECDSA", namedCurve: "P-256" }
  return { kid, alg, pair: await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) }
}
export const first = await makeKey("first")
export const second = await makeKey("second")
export const curve = await makeKey("curve", "ES256")

/** A token. `kid`: "" for none. */
export function signed(claims: Claims, key: Key = first, kid: string = key.kid): Promise<string> {
  // Some tests are about claims of other types.
  return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: key.alg, ...(kid !== "" && { kid }) }).sign(key.pair.privateKey)
}

/** Called within a test, which stops it. `answer` replaces its answers and returns whether it has answered. */
export async function startProvider() {
  const state = {
    keys: [first] as readonly Key[],
    asked: [] as string[],
    answer: undefined as ((path: string, response: ServerResponse, request: IncomingMessage) => boolean) | undefined,
  }
  const backend = await startBackend({
    pair,
    async answer(request, response) {
      const { url = "" } = request
      state.asked.push(url)
      if (state.answer?.(url, response, request) === true) return
      const issuer = `https://127.0.0.1:${backend.port}`
      const keys = await Promise.all(
        state.keys.map(async ({ kid, alg, pair: { publicKey } }) => ({ ...(await exportJWK(publicKey)), kid, alg, use: "sig" })),
      )
      response.end(JSON.stringify(url.startsWith("/.well-known") ? { issuer, jwks_uri: `${issuer}/keys` } : { keys }))
    },
  })
  onTestFinished(() => backend.stop())
  return Object.assign(state, { issuer: `https://127.0.0.1:${backend.port}`, stop: () => backend.stop() })
}
export type Provider = Awaited<ReturnType<typeof startProvider>>
