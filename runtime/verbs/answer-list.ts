import type { ListPage } from "../registry/read.ts"
import type { Call, Wanted } from "./call.ts"
import { jsonOf } from "./represent.ts"
import { sendBytes } from "../wire/send.ts"

export async function answerList(call: Call, answer: { wanted: Wanted; page: ListPage }): Promise<void> {
  const { handle } = call
  const { page, wanted } = answer
  const metadata = { resourceVersion: String(page.revision), ...(page.continueToken !== "" && { continue: page.continueToken }), ...(page.remainingItemCount !== undefined && { remainingItemCount: page.remainingItemCount }) }
  const chunks: Buffer[] = [Buffer.from(`{"kind":"${handle.kind.listKind}","apiVersion":"${handle.apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`)]
  const headLength = `{"kind":"${handle.kind.kind}","apiVersion":"${handle.apiVersion}",`.length
  let first = true
  for (const item of page.items) {
    chunks.push(Buffer.from(first ? "{" : ",{"), jsonOf(handle, item).subarray(headLength))
    first = false
  }
  chunks.push(Buffer.from("]}\n"))
  await sendBytes(call.outgoing, { status: 200, contentType: wanted.contentType, body: Buffer.concat(chunks) })
}
