/** An API verb for resources, empty for methods without a verb. For other paths the method in lower case. */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection" | (string & {})

/** The meaning of a path and method. The group is neutral; an empty string means that a part is absent. */
export interface RequestInfo {
  readonly isResource: boolean
  readonly verb: RequestVerb
  readonly method: string
  /** The path, decoded and otherwise unchanged. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Segments behind the sub-resource, in proxy paths. */
  readonly tail: readonly string[]
  /** The deprecated `/watch/` form of a path. */
  readonly watchPath: boolean
}
