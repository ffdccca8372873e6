import { once } from "node:events"
import { get } from "node:https"
import { expect, onTestFinished, test } from "vitest"
import { startBackend } from "../../test/support/backend.ts"
import { createTestAuthority } from "../../test/support/certificates.ts"
import { GuardedAgent } from "./connect.ts"

test("takes every certificate that it is given for a trust anchor", async () => {
  const authority = await createTestAuthority("issuer")
  const other = await createTestAuthority("other")
  const pair = await authority.issue()
  const sibling = await authority.issue()
  const backend = await startBackend({
    pair: { ...pair, authority: authority.certificate },
    answer: (_request, response) => response.end("ok"),
  })
  onTestFinished(() => backend.stop())
  const statusWith = async (ca: string): Promise<unknown> => {
    const request = get(`https://127.0.0.1:${backend.port}/`, { agent: new GuardedAgent({ ca, keepAlive: false }) })
    try {
      const [response] = await once(request, "response")
      response.resume()
      return response.statusCode
    } catch (error) {
      return error instanceof Error && "code" in error ? error.code : error
    }
  }
  expect(await statusWith(authority.certificate)).toBe(200)
  expect(await statusWith(pair.certificate)).toBe(200)
  expect(await statusWith(sibling.certificate)).toBe("UNABLE_TO_GET_ISSUER_CERT_LOCALLY")
  expect(await statusWith(other.certificate)).toBe("UNABLE_TO_GET_ISSUER_CERT_LOCALLY")
})
