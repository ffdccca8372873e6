/** Paths and operations as facts, from which both versions of the documents are written. */
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
    /** Version 3 names any media type, as for the built-in kinds of kube-apiserver. */
    readonly anyMedia?: true
  }
  /** Definition of the response by status code. */
  readonly responses: readonly { readonly code: 200 | 201 | 202; readonly schema: string }[]
  /** Media types of a response that is text instead of an object. */
  readonly text?: readonly string[]
  /** Media types of requests in version 2. Absent: any, and the patch types. */
  readonly consumes?: readonly string[]
  /** Media types of objects in responses. Absent: all media types of objects. */
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
