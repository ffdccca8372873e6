/** An operation of a program in this process, as its audit sees it, and what the operation reports to it. */
import type { Decision } from "../base/decision.ts"
import { type ApiObject, isObject, type JsonValue } from "../base/json.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import { stringify } from "../encoding/json/text.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import type { AuditedRequest } from "../http/request/audited-request.ts"
import type { RequestInfo } from "../http/request/context.ts"
import type { ServerParts } from "../server-parts.ts"
import { apiErrorOf } from "../verbs/failure.ts"
import { failureStatus } from "../wire/status.ts"
import { programHeaders } from "./in-process-request.ts"

interface Operation {
  readonly info: RequestInfo
  readonly user: User
  readonly query: URLSearchParams
}

/** Created for each operation while the server audits. */
export class AuditedOperation implements AuditedRequest {
  readonly headers = programHeaders
  readonly expired = false
  audit: RequestAudit | undefined
  decision: Decision | undefined
  readonly info: RequestInfo
  readonly user: User
  readonly incoming: AuditedRequest["incoming"]
  readonly outgoing: AuditedRequest["outgoing"]
  private readonly vendor: Vendor
  private ends: (() => void)[] = []

  /** `auditId`: the identity of its events. */
  constructor({ info, user, query }: Operation, { vendor, auditId }: { readonly vendor: Vendor; readonly auditId: string }) {
    this.info = info
    this.user = user
    this.vendor = vendor
    this.incoming = { url: urlOf(info, query, vendor), headers: {}, socket: {} }
    this.outgoing = { getHeader: () => auditId, headersSent: true, destroyed: false, statusCode: 200 }
  }

  onEnd(callback: () => void): void {
    this.ends.push(callback)
  }

  /** Called with what the program gets: an object, or nothing. Lists are recorded without their objects. */
  succeeded(result: unknown): void {
    const { audit, info } = this
    const json = audit?.keepsResponse === true && info.verb !== "list" && isResult(result) ? recorded(result, audit) : undefined
    audit?.answered(info.verb === "create" ? 201 : 200, json)
    this.end()
  }

  failed(error: unknown): void {
    const known = apiErrorOf(error)
    if (known === undefined) this.audit?.panicked()
    else this.audit?.answeredStatus(known.code, failureStatus(known, this.vendor))
    this.end()
  }

  /** Makes the last event. Further calls do nothing. */
  end(): void {
    for (const callback of this.ends.splice(0)) callback()
  }
}

/** Undefined while the server does not audit. */
export function beginAudit({ audit, random, vendor }: ServerParts, operation: Operation): AuditedOperation | undefined {
  if (audit === undefined) return undefined
  const audited = new AuditedOperation(operation, { vendor, auditId: random.uuid() })
  audit.begin(audited)
  return audited
}

function isResult(result: unknown): result is ApiObject {
  return typeof result === "object" && result !== null
}

function recorded(result: ApiObject, { omitsManagedFields }: RequestAudit): Buffer {
  const { managedFields: _dropped, ...metadata }: { readonly managedFields?: JsonValue } = isObject(result.metadata) ? result.metadata : {}
  return Buffer.from(stringify(omitsManagedFields && result.metadata !== undefined ? { ...result, metadata } : result))
}

/** The path that the operation would have over HTTP. */
function urlOf({ group, version, namespace, resource, name, subresource }: RequestInfo, query: URLSearchParams, vendor: Vendor): string {
  const root = group === "" ? ["api", version] : ["apis", vendor.group(group), version]
  const place = [...root, ...(namespace === "" ? [] : ["namespaces", namespace]), resource, name, subresource]
  const path = place.filter((segment) => segment !== "").map(encodeURIComponent)
  return `/${path.join("/")}${query.size === 0 ? "" : `?${query.toString()}`}`
}
