/** Web hooks for options of a server: real HTTPS servers, and the kubeconfigs that lead to them. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { onTestFinished } from "vitest"
import { type Backend, startBackend } from "./backend.ts"
import { createTestAuthority } from "./certificates.ts"

/** Issues the certificates of all web hooks. */
export const hookAuthority = await createTestAuthority("hooks")
const pair = { ...(await hookAuthority.issue()), authority: hookAuthority.certificate }

export interface WebHook<Review> extends Backend {
  /** The reviews that it was sent, in order. */
  readonly reviews: readonly Review[]
  /** A kubeconfig that leads to it; `user`: how the server signs in. */
  kubeconfig(user?: object): string
}

/** Returns the status of a review. Undefined: it has answered, or will not. */
export type HookReply<Review> = (review: Review, response: ServerResponse, asked: number, request: IncomingMessage) => object | undefined

/** Called within a test, which stops it. */
export async function startWebHook<Review extends object>(reply: HookReply<Review>): Promise<WebHook<Review>> {
  const reviews: Review[] = []
  const backend = await startBackend({
    pair,
    answer(request, response) {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const review: Review = JSON.parse(Buffer.concat(chunks).toString())
        reviews.push(review)
        const status = reply(review, response, reviews.length, request)
        if (status !== undefined) response.end(JSON.stringify({ ...review, status }))
      })
    },
  })
  onTestFinished(() => backend.stop())
  return {
    ...backend,
    reviews,
    kubeconfig: (user = {}) =>
      hookKubeconfig({ server: `https://127.0.0.1:${backend.port}/review`, authority: hookAuthority.certificate, user }),
  }
}

/** A kubeconfig of one cluster and one user. `authority`: PEM. */
export function hookKubeconfig({ server, authority, user }: { server: string; authority: string; user: object }): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": Buffer.from(authority).toString("base64") } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  })
}
