/** Notes that a credential leaves on each request that uses it. */
import type { NotedRequest } from "../base/noted-request.ts"

export interface CredentialNotes {
  /** Annotations of audit events: names and values. */
  readonly annotations: readonly (readonly [name: string, value: string])[]
  /** Texts for `Warning` headers. */
  readonly warnings: readonly string[]
}

/**
 * Called once per request whose credentials have notes, and once per review of such a token, with the review's request.
 */
export function note(request: NotedRequest | undefined, { annotations, warnings }: CredentialNotes): void {
  if (request === undefined) return
  for (const [name, value] of annotations) request.audit?.annotate(name, value)
  request.warnings.push(...warnings)
}
