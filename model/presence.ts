/**
 * When a field is present: the one definition, from which generated types and the `required` of published documents
 * follow (docs/OPENAPI.md).
 */
import type { FieldModel, KindModel, TypeModel } from "./model.ts"

const alwaysWritten: ReadonlySet<string> = new Set(["Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension"])
const nullWhenZero: ReadonlySet<string> = new Set(["bytes", "Time", "MicroTime", "RawExtension", "FieldsV1"])

/** Whether decoding (`runtime/encoding/normalize.ts`) writes the field even when it was absent. */
function isFilledIn({ type, keepEmpty, pointer }: FieldModel): boolean {
  return keepEmpty || (!pointer && ("ref" in type || ("scalar" in type && alwaysWritten.has(type.scalar))))
}

/** Whether the field is the kind or the version of an object, which the path of a request implies. */
export function isTypeMeta(field: FieldModel, kind: KindModel | undefined): boolean {
  return kind !== undefined && (field.name === "kind" || field.name === "apiVersion")
}

/** Whether every decoded, valid object has the field. */
export function isPresent(field: FieldModel, kind: KindModel | undefined): boolean {
  return field.required !== false || field.nonEmpty || isFilledIn(field) || isTypeMeta(field, kind)
}

/** Whether a decoded object may have null as the value: a null of its own, or one in place of an absent value. */
export function isNullable(field: FieldModel): boolean {
  const { type } = field
  if (field.nullable === true) return true
  if (!isFilledIn(field) || field.required === true || field.nonEmpty) return false
  return field.pointer || ("scalar" in type ? nullWhenZero.has(type.scalar) : !("ref" in type))
}

/** Whether the text of a present field may be empty although its `enum` does not list the empty text. */
export function isEmptyBesideEnum({ keepEmpty, pointer, nonEmpty, required }: FieldModel): boolean {
  return keepEmpty && !pointer && !nonEmpty && required !== true
}

/** Fields that clients may leave out of objects, by the types of a model. */
export class Presence {
  /** Fields that a rule of `defaults` may set. */
  private readonly setByRules: ReadonlySet<FieldModel>

  /** `types` by unique name: every type to which a field refers. */
  constructor(private readonly types: ReadonlyMap<string, TypeModel>) {
    const rules = [...types.values()].flatMap((type) => type.defaults.map(({ set }) => this.fieldAt(type, set.split("."))))
    this.setByRules = new Set(rules.filter((field) => field !== undefined))
  }

  /**
   * Whether a client that writes may leave the field out. It may not when the write would be refused, or when the
   * schema publishes the field as required. `kind`: the kind whose own type has the field, which ignores the status of
   * a new object.
   */
  mayBeLeftOut(field: FieldModel, kind: KindModel | undefined): boolean {
    if (isTypeMeta(field, kind) || this.hasDefault(field)) return true
    if (field.required !== false || field.nonEmpty) return false
    const isIgnored = kind !== undefined && (field.name === "status" || kind.create.drops.includes(field.name))
    return isIgnored || !this.isFilledInVain(field)
  }

  /** Whether the empty object that decoding writes for an absent field is refused, since it lacks fields itself. */
  isFilledInVain({ type, pointer }: FieldModel, seen: Set<string> = new Set()): boolean {
    const target = pointer || !("ref" in type) || seen.has(type.ref) ? undefined : this.types.get(type.ref)
    if (target === undefined) return false
    seen.add(target.name)
    return target.fields.some(
      (inner) => !this.hasDefault(inner) && (inner.required === true || inner.nonEmpty || this.isFilledInVain(inner, seen)),
    )
  }

  private hasDefault(field: FieldModel): boolean {
    return field.default !== undefined || this.setByRules.has(field)
  }

  private fieldAt(type: TypeModel, [name, ...rest]: readonly string[]): FieldModel | undefined {
    for (const field of type.fields) {
      const inner = "ref" in field.type ? this.types.get(field.type.ref) : undefined
      if (field.name === name) return rest.length === 0 ? field : inner && this.fieldAt(inner, rest)
      const found = field.inline && inner !== undefined && name !== undefined ? this.fieldAt(inner, [name, ...rest]) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}
