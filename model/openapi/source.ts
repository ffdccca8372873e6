/** The input of the OpenAPI documents. */
import type { JsonObject } from "../../runtime/base/json.ts"
import type { KindModel, TypeModel } from "../model.ts"
import type { GroupVersion } from "./names.ts"

/**
 * The kinds to describe and the model around them. The generator builds it from a folder of schemas; definitions that
 * arrive at run time build it from their own kinds.
 */
export interface OpenApiSource {
  /** The kinds whose paths and definitions are published. */
  readonly kinds: readonly KindModel[]
  /** These and all other kinds to which their types may refer. */
  readonly known: readonly KindModel[]
  /** Every type to which the kinds refer, by its unique name. */
  readonly types: ReadonlyMap<string, TypeModel>
  /** Whether the definition of a type publishes the limits of its fields; see docs/OPENAPI.md. */
  readonly publishesLimits: (type: TypeModel) => boolean
  /** Whether objects of a kind may travel in the protobuf media type. */
  readonly hasCompactForm: (kind: KindModel) => boolean
  /**
   * Group versions that documents name although none of their kinds is described: as in kube-apiserver, they are listed
   * as kinds of DeleteOptions and WatchEvent. Absent: none.
   */
  readonly otherVersions?: readonly GroupVersion[]
  /** Definitions that are complete already, by name. References in them are followed. Absent: none. */
  readonly schemas?: Readonly<JsonObject>
}

/** Returns the type with that unique name. Throws when it does not exist, which the loader has ruled out. */
export function typeIn(source: OpenApiSource, name: string): TypeModel {
  const type = source.types.get(name)
  if (type === undefined) throw new Error(`the model has no type ${name}`)
  return type
}
