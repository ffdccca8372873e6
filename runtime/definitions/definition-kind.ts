/**
 * Maps generated kinds, which have neutral names, to the names in one vendor's API and store. The store keys of some
 * kinds contain the group, and in CustomResourceDefinitions the names of schema extensions (`x-orch-list-type`) are
 * field names on the wire. Both are mapped only here.
 */
import type { Stages } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import type { Kind, KindParts, ValidationContext } from "../schema/kind.ts"
import type { FieldShape, TypeRef, TypeShape } from "../schema/shape.ts"

export const definitionGroup = "apiextensions.orch.io"
export const definitionResource = "customresourcedefinitions"
const neutralPrefix = "x-orch-"

/**
 * Returns the kinds in the vendor's form. Called once for each list of generated kinds, before a `KindTable` is made of
 * it.
 */
export function kindsOfVendor(kinds: readonly Kind[], vendor: Vendor): readonly Kind[] {
  return kinds.map((kind) => {
    const stored = withVendorPath(kind, vendor)
    return kind.group === definitionGroup ? { ...stored, load: async () => definitionParts(await kind.load(), vendor) } : stored
  })
}

function withVendorPath(kind: Kind, vendor: Vendor): Kind {
  const { path } = kind.storage
  const prefix = `${kind.group}/`
  if (kind.group === "" || !path.startsWith(prefix)) return kind
  return { ...kind, storage: { ...kind.storage, path: `${vendor.group(kind.group)}/${path.slice(prefix.length)}` } }
}

function definitionParts(parts: KindParts, vendor: Vendor): KindParts {
  return {
    ...parts,
    shape: renamed(parts.shape, vendor.extensionPrefix, new Map()),
    validating: (object, context) => checkingInTurn(parts, object, context),
    applyDefaults(object, context) {
      const { spec } = object
      if (isObject(spec)) spec.conversion ??= { strategy: "None" }
      parts.applyDefaults(object, context)
    },
  }
}

/**
 * Many definitions may arrive in one packet, and each takes milliseconds to check. Each has a separate turn, and a
 * large one has several.
 */
function* checkingInTurn(parts: KindParts, object: ApiObject, context: ValidationContext): Stages<void> {
  yield
  const parked: Stages<void>[] = []
  parts.validate(object, { ...context, later: (stages) => parked.push(stages) })
  for (const stages of parked) yield* stages
}

/** A shape and all shapes below it with the vendor's names of extensions. The result has the cycles of the original. */
function renamed(shape: TypeShape, prefix: string, known: Map<TypeShape, TypeShape>): TypeShape {
  const before = known.get(shape)
  if (before !== undefined) return before
  const fields: FieldShape[] = []
  const next: TypeShape = { ...shape, fields }
  known.set(shape, next)
  for (const field of shape.fields) {
    const name = field.name.startsWith(neutralPrefix) ? prefix + field.name.slice(neutralPrefix.length) : field.name
    fields.push({ ...field, name, type: renamedRef(field.type, prefix, known) })
  }
  return next
}

function renamedRef(type: TypeRef, prefix: string, known: Map<TypeShape, TypeShape>): TypeRef {
  if ("list" in type) return { list: renamedRef(type.list, prefix, known) }
  if ("map" in type) return { map: renamedRef(type.map, prefix, known) }
  if ("wrappedList" in type) return { wrappedList: renamedRef(type.wrappedList, prefix, known) }
  if ("union" in type) {
    const union = renamed(type.union(), prefix, known)
    return { union: () => union }
  }
  if (!("ref" in type)) return type
  const target = renamed(type.ref(), prefix, known)
  return { ref: () => target }
}
