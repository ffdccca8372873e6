/** The declared types as the checker of expressions sees them, and the kind to which a type belongs. */
import type { StructSource, ValueInfo } from "../../model/expression/checked.ts"
import { valueInfo } from "../../model/expression/field-types.ts"
import type { TypeRefModel } from "../../model/model.ts"
import type { KnownType, TypeTable } from "./type-table.ts"

/** Fields that every object has. */
const certain: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])

/** Called for each expression; the same table gives the same source. */
export function structsOf(table: TypeTable): StructSource {
  let source = sources.get(table)
  if (source === undefined) {
    source = new TableStructs(table)
    sources.set(table, source)
  }
  return source
}

const sources = new WeakMap<TypeTable, StructSource>()

class TableStructs implements StructSource {
  private readonly infos = new Map<string, ValueInfo | undefined>()

  constructor(private readonly table: TypeTable) {}

  field(struct: string, name: string): ValueInfo | undefined {
    const key = `${struct}#${name}`
    if (this.infos.has(key)) return this.infos.get(key)
    const field = this.table.fieldsByName(struct).get(name)
    const isKind = this.table.declarations.get(struct)?.isKind === true
    const info = field && (isKind && certain.has(name) ? { ...valueInfo(field), absence: "never" as const } : valueInfo(field))
    this.infos.set(key, info)
    return info
  }

  names(struct: string): readonly string[] {
    return [...this.table.fieldsByName(struct).keys()]
  }

  open(struct: string): boolean {
    return this.table.preservesUnknown(struct)
  }
}

const owners = new WeakMap<TypeTable, ReadonlyMap<string, ReadonlySet<string>>>()

/** Root type of the objects that contain `type`, if only one kind uses it. */
export function rootOf(type: string, table: TypeTable): KnownType {
  let kinds = owners.get(table)
  if (kinds === undefined) {
    kinds = kindsOfTypes(table)
    owners.set(table, kinds)
  }
  const [only, ...others] = kinds.get(type) ?? []
  return only === undefined || others.length > 0 ? undefined : { ref: only }
}

function kindsOfTypes(table: TypeTable): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const [kind, { isKind }] of table.declarations) {
    const next = isKind ? [kind] : []
    for (let type = next.pop(); type !== undefined; type = next.pop()) {
      const of = kinds.get(type) ?? new Set()
      if (of.has(kind)) continue
      kinds.set(type, of.add(kind))
      for (const { model } of table.fields.get(type) ?? []) next.push(...referred(model.type))
    }
  }
  return kinds
}

function referred(type: TypeRefModel): string[] {
  if ("ref" in type) return [type.ref]
  if ("union" in type) return [type.union]
  if ("list" in type) return referred(type.list)
  if ("map" in type) return referred(type.map)
  return "wrappedList" in type ? referred(type.wrappedList) : []
}
