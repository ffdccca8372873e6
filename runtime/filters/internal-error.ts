import { answered } from "../http/env.ts"
import type { RequestContext } from "../http/request/context.ts"
import { sendBytes } from "../wire/send.ts"

/**
 * Answers 500 in plain text, as the reference does where it fails before a handler. Called when an authorizer could not
 * decide, and for impersonation without a user.
 */
export async function answerInternalError({ incoming, outgoing }: RequestContext, why: string): Promise<typeof answered> {
  const text = `Internal Server Error: ${JSON.stringify(incoming.url ?? "")}: ${why}`.replaceAll(
    /[&<>]/g,
    (found) => escapes[found] ?? found,
  )
  const headers = { "x-content-type-options": "nosniff" }
  await sendBytes(outgoing, { status: 500, contentType: "text/plain; charset=utf-8", body: Buffer.from(`${text}\n`), headers })
  return answered
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
