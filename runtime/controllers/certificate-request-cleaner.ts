/**
 * Deletes old CertificateSigningRequests: an hour after they were denied, failed or issued, a day after their creation
 * if there is no decision, and when the certificate has expired.
 */
import { Turns } from "../base/turns.ts"
import { keyWork } from "../base/work.ts"
import { X509Certificate } from "node:crypto"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { errorText } from "../base/error-text.ts"
import type { Controller, ControllerDeps } from "./controller.ts"
import { certificateController } from "./identities.ts"
import { instantMs } from "./instant-ms.ts"
import { runEvery } from "./interval.ts"
import { orGone } from "./refusals.ts"

const place = { group: "certificates.orch.io", version: "v1", resource: "certificatesigningrequests", namespace: "" }
const intervalMs = 60_000
const pageSize = 500
const decidedMs = 3600_000
const undecidedMs = 24 * 3600_000

/** Called once at start, whether the kind is served or not. The first run is after a minute. */
export function startCertificateRequestCleaner(deps: ControllerDeps): Controller {
  const { clock, log } = deps
  return runEvery({
    clock,
    intervalMs,
    task: () => cleanAll(deps),
    onError: (error) => log.warn({ error: errorText(error) }, "old requests for certificates could not be deleted; tried again later"),
  })
}

/** If a list expires, the next interval begins again with the first page. */
async function cleanAll({ client, clock, registry }: ControllerDeps): Promise<void> {
  if (registry.deps.kinds.find(place.group, place.version, place.resource) === undefined) return
  const requests = client(certificateController(registry))
  const turns = new Turns()
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page = await requests.list(place, { limit: pageSize, ...(next !== "" && { continue: next }) })
    for (const request of page.items) {
      if (turns.isOver(keyWork)) await turns.next()
      const { name = "", uid } = request.metadata ?? {}
      if (!isOver(request, clock.nowMs())) continue
      await orGone(requests.delete({ ...place, name }, { preconditions: { ...(uid !== undefined && { uid }) } }))
    }
    next = page.metadata.continue
  }
}

/** Called for each request. */
export function isOver(request: ApiObject, nowMs: number): boolean {
  const status = isObject(request["status"]) ? request["status"] : {}
  const conditions = (Array.isArray(status["conditions"]) ? status["conditions"] : []).filter(isObject)
  if (conditions.length === 0) return isPast(request.metadata?.creationTimestamp, undecidedMs, nowMs)
  const certificate = typeof status["certificate"] === "string" ? status["certificate"] : ""
  return conditions.some((condition) => {
    const { type } = condition
    if (type === "Denied" || type === "Failed") return isDecidedLongAgo(condition, nowMs)
    return type === "Approved" && certificate !== "" && (isDecidedLongAgo(condition, nowMs) || hasExpired(certificate, nowMs))
  })
}

function isDecidedLongAgo(condition: JsonObject, nowMs: number): boolean {
  return isPast(condition["lastUpdateTime"], decidedMs, nowMs)
}

function isPast(time: JsonValue | undefined, afterMs: number, nowMs: number): boolean {
  const atMs = typeof time === "string" ? instantMs(time) : undefined
  return atMs !== undefined && atMs + afterMs <= nowMs
}

/** `certificate`: PEM in base64. A text that is not a certificate does not expire. */
function hasExpired(certificate: string, nowMs: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo) < nowMs
  } catch {
    return false
  }
}
