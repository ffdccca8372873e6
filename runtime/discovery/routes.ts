import { badRequest } from "../errors.ts"
import type { ServerContext } from "../server-env.ts"
import type { ServerParts } from "../server-parts.ts"
import { sendBytes } from "../wire/send.ts"
import { answerHealth } from "./health.ts"

export async function answerOther(parts: ServerParts, context: ServerContext): Promise<void> {
  const { info, query } = context.get("request")
  const health = await answerHealth(parts.health, info.path, query)
  if (health === undefined) throw badRequest(info.path)
  await sendBytes(context.env.outgoing, { status: health.status, contentType: "text/plain; charset=utf-8", body: Buffer.from(health.text) })
}
