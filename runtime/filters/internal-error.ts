import type { UnhandledError } from "../base/errors.ts"
import type { RequestContext } from "../http/request/context.ts"
import { sendBytes } from "../wire/send.ts"

/** Answers an UnhandledError. */
export function answerUnhandled({ incoming, outgoing }: RequestContext, { why }: UnhandledError): Promise<void> {
  const text = `Internal Server Error: ${JSON.stringify(incoming.url ?? "")}: ${why}`.replaceAll(
    /[&<>]/g,
    (found) => escapes[found] ?? found,
  )
  const headers = { "x-content-type-options": "nosniff" }
  return sendBytes(outgoing, { status: 500, contentType: "text/plain; charset=utf-8", body: Buffer.from(`${text}\n`), headers })
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
