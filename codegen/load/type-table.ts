/**
 * All types with their fields, for the checks: fields by JSON name (with the fields of inline structs) and the type at
 * a dotted path.
 */
import type { FieldModel, TypeRefModel } from "../../model/model.ts"
import { shapesOf } from "../../model/shapes.ts"
import type { TypeDeclaration } from "./declare.ts"
import { declareFields, type FieldDeclaration } from "./fields.ts"
import { itemType, shownType } from "./type-text.ts"

/** A type as far as it is known; absent: anything is possible. */
export type KnownType = TypeRefModel | undefined

export type SelectResult = { readonly type: KnownType } | { readonly fault: { readonly found: string; readonly names: readonly string[] } }

export class TypeTable {
  readonly fields = new Map<string, readonly FieldDeclaration[]>()
  /** Shapes by unique name, for checks that decode a value. Used once numbers and types are final. */
  readonly shapeOf = shapesOf((name) => ({
    fields: (this.fields.get(name) ?? []).map(({ model }) => model),
    preserveUnknown: this.preservesUnknown(name),
  }))
  /** Fields whose type could not be read (already reported): they may have any type. */
  private readonly unread = new Set<FieldModel>()
  private readonly byName = new Map<string, ReadonlyMap<string, FieldModel>>()

  constructor(readonly declarations: ReadonlyMap<string, TypeDeclaration>) {
    for (const [name, declaration] of declarations) {
      const fields = declareFields(declaration, declarations)
      this.fields.set(name, fields)
      for (const { model, known } of fields) if (!known) this.unread.add(model)
    }
  }

  /** Fields of a struct and of its inline structs, by JSON name. Stops at cycles of inline structs. */
  fieldsByName(type: string, seen: ReadonlySet<string> = new Set()): ReadonlyMap<string, FieldModel> {
    const kept = this.byName.get(type)
    if (kept !== undefined) return kept
    const names = new Map<string, FieldModel>()
    for (const { model } of this.fields.get(type) ?? []) {
      const inner = model.inline && "ref" in model.type && !seen.has(model.type.ref) ? model.type.ref : undefined
      if (inner === undefined) names.set(model.name, model)
      else for (const [name, field] of this.fieldsByName(inner, new Set([...seen, type]))) names.set(name, field)
    }
    if (seen.size === 0) this.byName.set(type, names)
    return names
  }

  /** Whether `inner` is the type `outer`, or inlined in it at any depth. */
  holdsInline(outer: string, inner: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (outer === inner) return true
    if (seen.has(outer)) return false
    const refs = (this.fields.get(outer) ?? []).flatMap(({ model }) => (model.inline && "ref" in model.type ? [model.type.ref] : []))
    return refs.some((ref) => this.holdsInline(ref, inner, new Set([...seen, outer])))
  }

  preservesUnknown(type: string): boolean {
    return this.declarations.get(type)?.block.flag("preserveUnknown") ?? false
  }

  /** The type of `.name` of a value of `type`. Strings, numbers and lists have no fields; a map has every key. */
  select(type: KnownType, name: string): SelectResult {
    if (type === undefined) return { type: undefined }
    if ("map" in type) return { type: type.map }
    if ("ref" in type) {
      const names = this.fieldsByName(type.ref)
      const field = names.get(name)
      if (field !== undefined) return { type: this.unread.has(field) ? undefined : field.type }
      if (this.preservesUnknown(type.ref)) return { type: undefined }
      return { fault: { found: `unknown field "${name}" of ${type.ref}`, names: [...names.keys()] } }
    }
    if ("scalar" in type && (type.scalar === "any" || type.scalar === "RawExtension" || type.scalar === "FieldsV1"))
      return { type: undefined }
    return { fault: { found: `the field "${name}" of a value of type ${shownType(type)}`, names: [] } }
  }

  /**
   * The type at a dotted path below `type`; `a[0].b` and `a[key].b` descend into lists and maps. The empty path is the
   * value itself.
   */
  follow(type: KnownType, path: string): SelectResult {
    let current = type
    for (const segment of pathSegments(path)) {
      if (segment.index) {
        const inner: KnownType = current === undefined ? undefined : (itemType(current) ?? ("map" in current ? current.map : undefined))
        if (inner === undefined && current !== undefined)
          return { fault: { found: `an index into a value of type ${shownType(current)}`, names: [] } }
        current = inner
        continue
      }
      const step = this.select(current, segment.name)
      if ("fault" in step) return step
      current = step.type
    }
    return { type: current }
  }

  /** The field at a dotted path through structs; undefined for an entry of a map, and for paths that do not exist. */
  fieldAt(type: KnownType, path: string): FieldModel | undefined {
    const dot = path.lastIndexOf(".")
    const parent = this.follow(type, dot < 0 ? "" : path.slice(0, dot))
    if (!("type" in parent) || parent.type === undefined || !("ref" in parent.type)) return undefined
    return this.fieldsByName(parent.type.ref).get(path.slice(dot + 1))
  }
}

function pathSegments(path: string): { name: string; index: boolean }[] {
  return [...path.matchAll(/\[([^[\]]*)\]|[^.[\]]+/g)].map((match) => ({ name: match[1] ?? match[0], index: match[1] !== undefined }))
}
