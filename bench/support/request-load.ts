/** Sends the requests of a plan. Runs in a load process, so that its CPU does not count as the server's. */
import { setTimeout } from "node:timers/promises"
import { createHistogram } from "./histogram.ts"
import { type Answer, type Http2Client, openHttp2Client } from "./http2-client.ts"
import { nowUs, type RequestFigures, type RequestPlan } from "./load-plans.ts"
import type { Target } from "./server-process.ts"

type Fill = (index: number, bucket: number) => string

/** Resolves when all requests of the plan have been answered; failures are counted, never thrown. */
export async function runRequests(target: Target, plan: RequestPlan): Promise<RequestFigures> {
  const { clients, connections = 1, count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY, perSecond, buckets = 1 } = plan
  const client = openHttp2Client(target, connections)
  const send = sender(client, plan)
  const latencies = createHistogram()
  const versions: number[][] = plan.keepsVersions === true ? Array.from({ length: buckets }, () => []) : []
  const expected = new Set(plan.expected ?? [200, 201])
  const failures: string[] = []
  let bytes = 0
  let next = 0
  await client.connected()
  const started = performance.now()

  async function work(): Promise<void> {
    let token = ""
    for (let turn = next++; turn < count; turn = next++) {
      const due = perSecond === undefined ? performance.now() : started + (turn * 1000) / perSecond
      if (due - started > seconds * 1000) return
      if (due > performance.now()) await setTimeout(due - performance.now())
      const index = indexOf(plan, turn)
      const answer = await send(index, token)
      if (answer instanceof Error) {
        failures.push(answer.message)
        continue
      }
      latencies.record(performance.now() - due)
      bytes += answer.bytes
      if (!expected.has(answer.status)) failures.push(`${answer.status} ${answer.head.toString("utf8").slice(0, 200)}`)
      else versions[index % buckets]?.push(versionOf(answer.head))
      if (plan.pages === true) token = continueOf(answer.head)
    }
  }

  await Promise.all(Array.from({ length: clients }, work))
  client.close()
  return {
    count: latencies.count(),
    failed: failures.length,
    ...(failures[0] !== undefined && { failure: failures[0] }),
    seconds: (performance.now() - started) / 1000,
    bytes,
    p50Ms: latencies.percentile(0.5),
    p95Ms: latencies.percentile(0.95),
    p99Ms: latencies.percentile(0.99),
    maxMs: latencies.maxMs(),
    versions: versions.map((of) => of.toSorted((left, right) => left - right)),
  }
}

/** The number of the object of a plan's n-th request. */
export function indexOf({ first = 0, stride = 1, modulo }: RequestPlan, turn: number): number {
  const index = (first + turn) * stride
  return modulo === undefined ? index : index % modulo
}

/** Sends one request of the plan; resolves with an Error when the connection breaks. */
function sender(client: Http2Client, plan: RequestPlan): (index: number, token: string) => Promise<Answer | Error> {
  const { method, contentType, accept, acceptEncoding, buckets = 1 } = plan
  const path = template(plan.path)
  const body = plan.body === undefined ? undefined : template(plan.body)
  return async (index, token) => {
    const bucket = index % buckets
    try {
      return await client.send({
        method,
        path: path(index, bucket) + (token === "" ? "" : `&continue=${encodeURIComponent(token)}`),
        ...(body !== undefined && { body: Buffer.from(body(index, bucket)) }),
        ...(contentType !== undefined && { contentType }),
        ...(accept !== undefined && { accept }),
        ...(acceptEncoding !== undefined && { acceptEncoding }),
      })
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

/** Compiles a text with placeholders. Split once, so that bodies of a megabyte are not searched for each request. */
export function template(text: string): Fill {
  const pieces = text.split(/\{(index|bucket|now)\}/)
  return (index, bucket) => {
    const fills: Readonly<Record<string, () => string>> = {
      index: () => String(index).padStart(6, "0"),
      bucket: () => String(bucket),
      now: () => String(nowUs()),
    }
    return pieces.map((piece, at) => (at % 2 === 0 ? piece : (fills[piece]?.() ?? ""))).join("")
  }
}

function versionOf(head: Buffer): number {
  return Number(/"resourceVersion":"(\d+)"/.exec(head.toString("latin1"))?.[1] ?? 0)
}

/** The token of the next page; empty when this was the last. */
export function continueOf(head: Buffer): string {
  return /"continue":"([^"]*)"/.exec(head.toString("latin1", 0, 4096))?.[1] ?? ""
}
