/**
 * Whether the compact encoding of a type holds all its values exactly. The generator asks for each kind. Kinds that it
 * cannot hold exactly are stored as JSON, as kube-apiserver stores custom resources.
 */
import type { FieldShape, TypeRef, TypeShape } from "./shape.ts"

/** A field that the compact encoding of a type loses. */
export interface CompactFault {
  /** Path of the field from the root; "" for the root itself. Items of lists and values of maps are `[]`. */
  readonly path: string
  /** Completes "the compact encoding does not hold it, because ...". */
  readonly why: string
}

/**
 * Returns the first field that the compact encoding of an object of this shape loses; undefined when it holds every
 * normalized object exactly. Called by the generator for the shape of a kind. Pure.
 */
export function compactFault(shape: TypeShape): CompactFault | undefined {
  return faultOfType(shape, "", new Set())
}

function faultOfType(shape: TypeShape, path: string, seen: Set<TypeShape>): CompactFault | undefined {
  if (seen.has(shape)) return undefined
  seen.add(shape)
  if (shape.preserveUnknown === true) return { path, why: "it keeps fields without a name in the schema" }
  for (const field of shape.fields) {
    // The envelope has these two.
    if (path === "" && (field.name === "kind" || field.name === "apiVersion")) continue
    if (field.constant !== undefined) continue
    const at = field.inline === true ? path : joined(path, field.name)
    const why = faultOfField(field)
    if (why !== undefined) return { path: at, why }
    const fault = faultBelow(field.type, at, seen)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultBelow(type: TypeRef, path: string, seen: Set<TypeShape>): CompactFault | undefined {
  if ("ref" in type) return faultOfType(type.ref(), path, seen)
  if ("union" in type) return faultOfType(type.union(), path, seen)
  const item = itemOf(type)
  return item === undefined ? undefined : faultBelow(item, `${path}[]`, seen)
}

function faultOfField(field: FieldShape): string | undefined {
  const { type } = field
  if (field.number === undefined) return "it has no number"
  if (field.pointer === true && ("list" in type || "map" in type)) return "it is empty or absent, which are the same there"
  const item = itemOf(type)
  return item === undefined ? undefined : faultOfItem(item, "map" in type)
}

/** The reason for which a list or map of these items is not exact. */
function faultOfItem(item: TypeRef, ofMap: boolean): string | undefined {
  if ("wrappedList" in item && ofMap) return undefined
  if ("list" in item || "map" in item || "wrappedList" in item) return "lists and maps in each other have no form there"
  return undefined
}

function itemOf(type: TypeRef): TypeRef | undefined {
  if ("list" in type) return type.list
  if ("map" in type) return type.map
  return "wrappedList" in type ? type.wrappedList : undefined
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}
