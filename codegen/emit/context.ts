/** Shared state of all emitters: the model, the options, and the types that need a validator or defaults. */
import type { FieldModel, FileModel, KindModel, Model, TypeModel, TypeRefModel } from "../../model/model.ts"
import { appliedDefault, type ShapeOf } from "../../model/defaults.ts"
import { isPresent, Presence } from "../../model/presence.ts"
import { shapesOf } from "../../model/shapes.ts"
import { type Constraint, constraintTable, limitOf, type Limits } from "../../runtime/schema/constraints.ts"
import type { EmitOptions } from "./options.ts"

export interface EmitContext {
  readonly model: Model
  readonly options: EmitOptions
  /** Types whose validator is not empty. */
  readonly validated: ReadonlySet<string>
  /** Types whose defaults function is not empty. */
  readonly defaulted: ReadonlySet<string>
  /** Types of which clients may leave out more than the server does: they have an input form. */
  readonly withInput: ReadonlySet<string>
  readonly files: ReadonlyMap<string, FileModel>
  readonly shapeOf: ShapeOf
  readonly presence: Presence
}

/** Called once per run, before the emitters. */
export function emitContext(model: Model, options: EmitOptions): EmitContext {
  const shapeOf = shapesOf((name) => typeOf({ model }, name))
  const presence = new Presence(model.types)
  return {
    model,
    options,
    validated: reaching(model, validatesItself, (field) => field.unchecked !== true),
    defaulted: reaching(model, (type) => defaultsItself(type, shapeOf)),
    withInput: reaching(model, (type) =>
      differsItself(
        { presence },
        type,
        model.kinds.find((kind) => kind.type === type.name),
      ),
    ),
    files: new Map(model.files.map((file) => [file.path, file])),
    shapeOf,
    presence,
  }
}

/** Returns the type with that unique name. Throws when it does not exist, which the loader has ruled out. */
export function typeOf(context: Pick<EmitContext, "model">, name: string): TypeModel {
  const type = context.model.types.get(name)
  if (type === undefined) throw new Error(`the model has no type ${name}`)
  return type
}

/** The struct that a field, list item or map value holds, at any depth; undefined for scalars and unions. */
export function leafRef(type: TypeRefModel): string | undefined {
  const leaf = leafType(type)
  return "ref" in leaf ? leaf.ref : undefined
}

/** As `leafRef`, and also for unions: the type that has a message of its own. */
export function leafMessage(type: TypeRefModel): string | undefined {
  const leaf = leafType(type)
  return "union" in leaf ? leaf.union : leafRef(leaf)
}

function leafType(type: TypeRefModel): TypeRefModel {
  if ("list" in type) return leafType(type.list)
  if ("map" in type) return leafType(type.map)
  return "wrappedList" in type ? leafType(type.wrappedList) : type
}

/** The item type of a list, wrapped or not; undefined otherwise. */
export function listItem(type: TypeRefModel): TypeRefModel | undefined {
  if ("list" in type) return type.list
  return "wrappedList" in type ? type.wrappedList : undefined
}

/** The kind with this type as its own. */
export function kindOfType(context: EmitContext, type: TypeModel): KindModel | undefined {
  return context.model.kinds.find((kind) => kind.type === type.name)
}

/** Types that the doorway declares itself. Generated code uses its form, so that a generated kind is an ApiObject. */
export const kitTypes: ReadonlyMap<string, string> = new Map([["meta.v1.ObjectMeta", "ObjectMeta"]])

/** Whether decoded objects have the field although a client may leave it out. */
export function differs({ presence }: Pick<EmitContext, "presence">, field: FieldModel, kind: KindModel | undefined): boolean {
  return isPresent(field, kind) && presence.mayBeLeftOut(field, kind)
}

function differsItself(context: Pick<EmitContext, "presence">, type: TypeModel, kind: KindModel | undefined): boolean {
  return !kitTypes.has(type.name) && type.fields.some((field) => !field.inline && differs(context, field, kind))
}

/** The types for which `own` holds, and all types that contain one of them in a field for which `through` holds. */
function reaching(
  model: Model,
  own: (type: TypeModel) => boolean,
  through: (field: FieldModel) => boolean = () => true,
): ReadonlySet<string> {
  const holders = new Map<string, string[]>()
  for (const type of model.types.values()) {
    for (const field of type.fields) {
      const ref = through(field) ? leafRef(field.type) : undefined
      if (ref !== undefined) holders.set(ref, [...(holders.get(ref) ?? []), type.name])
    }
  }
  const found = new Set<string>()
  const open = [...model.types.values()].filter(own).map((type) => type.name)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...(holders.get(name) ?? []))
  }
  return found
}

function validatesItself(type: TypeModel): boolean {
  return type.rules.length > 0 || type.checks.length > 0 || type.oneOf.length > 0 || type.fields.some(isConstrained)
}

/** Whether a field has anything that a value may violate. */
function isConstrained(field: FieldModel): boolean {
  return (
    hasConstraints(field) ||
    field.unique.length > 0 ||
    field.distinct !== undefined ||
    field.references !== undefined ||
    field.immutable !== false ||
    field.requiredOn !== undefined
  )
}

/** Whether a field has limits, or must be present. */
export function hasConstraints(field: FieldModel): boolean {
  return field.required === true || field.nonEmpty || hasLimits(field)
}

/** Whether there are limits of the value, its items, its keys or its values. */
export function hasLimits(limits: Limits): boolean {
  const parts = [limits.items, limits.values, limits.keys]
  const isLimited = (row: Constraint): boolean => limitOf(row, limits) !== undefined && (row.word !== "enum" || limits.openEnum !== true)
  return constraintTable.some(isLimited) || parts.some((part) => part !== undefined && hasLimits(part))
}

function defaultsItself(type: TypeModel, shapeOf: ShapeOf): boolean {
  return type.defaults.length > 0 || type.fields.some((field) => appliedDefault(field, shapeOf) !== undefined)
}
