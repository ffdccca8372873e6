/** Paths and operations as facts, which every version of the documents is written from. */
import type { OptionFacts, ParameterName } from "./parameters.ts"

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface OperationFacts {
  readonly method: "get" | "put" | "post" | "delete" | "options" | "head" | "patch"
  readonly operationId: string
  readonly description: string
  readonly tag: string
  readonly parameters: readonly ParameterName[]
  /** Definition of the body. */
  readonly body?: {
    readonly schema: string
    readonly required: boolean
    readonly patch: boolean
    readonly strategic?: false
    /** Version 3 names any media type, as it does for the kinds of the reference. */
    readonly anyMedia?: true
  }
  /** Definition of the response by status code. */
  readonly responses: readonly { readonly code: 200 | 201 | 202; readonly schema: string }[]
  /** Media types of a response that is text instead of an object. */
  readonly text?: readonly string[]
  /** What version 2 says of the media types of requests. Absent: any, and those of patches. */
  readonly consumes?: readonly string[]
  /** Media types of objects in responses. Absent: those in which objects travel. */
  readonly produces?: readonly string[]
  /** The response may be a watch stream. */
  readonly stream?: boolean
  readonly deprecated?: boolean
  readonly action?: string
  readonly kind?: GroupVersionKind
}

export interface PathFacts {
  readonly path: string
  readonly parameters: readonly ParameterName[]
  /** Query parameters of this path only. */
  readonly options?: readonly OptionFacts[]
  readonly operations: readonly OperationFacts[]
}
