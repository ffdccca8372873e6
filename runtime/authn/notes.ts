/** What the use of a credential leaves in the record of each request that has it. */
import type { RequestAudit } from "../http/request/audit.ts"

export interface CredentialNotes {
  /** Annotations of audit events: names and values. */
  readonly annotations: readonly (readonly [name: string, value: string])[]
  /** Texts for `Warning` headers. */
  readonly warnings: readonly string[]
}

/** The part of a request that takes notes. */
export interface NotedRequest {
  readonly audit?: Pick<RequestAudit, "annotate"> | undefined
  readonly warnings: string[]
}

/** Called once per request whose credentials have notes, and per review of such a token, for the review's request. */
export function note(request: NotedRequest | undefined, { annotations, warnings }: CredentialNotes): void {
  if (request === undefined) return
  for (const [name, value] of annotations) request.audit?.annotate(name, value)
  request.warnings.push(...warnings)
}
