/** The part of a request that takes notes of what its credentials, or those that it asks about, leave behind. */
export interface NotedRequest {
  /** Absent: the request is not recorded. */
  readonly audit?: { annotate(name: string, value: string): void } | undefined
  /** Texts for `Warning` headers. */
  readonly warnings: string[]
}
