/** Names and places that are collected while the schema of one version is converted. */
import type { JsonObject } from "../../../runtime/base/json.ts"
import { fieldTypeName } from "../../load/declare.ts"
import type { Words } from "./words.ts"

/** The type names of a group and version: every struct has one, and no two share one. */
export class TypeNames {
  private readonly taken = new Set<string>()

  /** Takes a name. False when another type has it. */
  claim(name: string): boolean {
    if (this.taken.has(name)) return false
    this.taken.add(name)
    return true
  }

  /** Takes `name`, or it with the first number that makes it free. */
  free(name: string): string {
    let found = name
    for (let count = 2; !this.claim(found); count++) found = `${name}${count}`
    return found
  }
}

/** The place of a value: the struct type and the field that hold it. */
export interface Place {
  readonly outer: string
  readonly field: string
  /** From the root of the object: `spec.replicas`; items of lists and maps have no path. */
  readonly path: string | undefined
}

/** A value in the words of the dialect. */
export interface Value {
  /** The text of `type`; `fields` in it is the struct of the field itself. */
  readonly type: string
  /** The keywords of the struct: of the value, its items, or its values. */
  readonly struct?: JsonObject
  readonly limits: JsonObject
}

/** Reads a value; structs read their fields by it. */
export type ReadValue = (words: Words, place: Place, context: SchemaContext, isNullable?: boolean) => Value

export interface SchemaContext {
  readonly valueOf: ReadValue
  readonly names: TypeNames
  /** Types with a name of their own, where the name that their field gives them is taken. */
  readonly types: Record<string, JsonObject>
  /** Paths that the sub-resource scale names. */
  readonly counts: ReadonlySet<string>
  /** Paths of fields whose doc has words that the description lacks. */
  readonly docsChanged: string[]
  /** Paths of times, durations and numbers that the dialect holds in one form. */
  readonly canonical: string[]
}

/** Where the struct of a field is written: at the field itself, or among the types when its name is taken. */
export function structName({ outer, field }: Place, { names }: SchemaContext): { readonly name: string; readonly isOwn: boolean } {
  const name = fieldTypeName(outer, field)
  return names.claim(name) ? { name, isOwn: true } : { name: names.free(`${name}Type`), isOwn: false }
}
