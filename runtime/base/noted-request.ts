/** Collects annotations and warnings about a request's credentials, or about the credentials that it asks about. */
export interface NotedRequest {
  /** Absent: the request is not recorded. */
  readonly audit?: { annotate(name: string, value: string): void } | undefined
  /** Texts for `Warning` headers. */
  readonly warnings: string[]
}
