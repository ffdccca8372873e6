/** Types that the parts of the checker share: types of fields, the scope of an expression, and checked trees. */
import { type CelType, dynType, type Issue } from "../../cel/index.ts"
import type { JsonValue } from "../../runtime/base/json.ts"
import type { ExpressionConversion, ExpressionTree, FieldReading } from "../model.ts"
import { isSimple, itemType } from "./types.ts"

/** Facts about a field, a variable, or an item. */
export interface ValueInfo {
  readonly type: CelType
  /**
   * `zero`: an absent value reads as "", 0 or false. `empty`: it is never absent, but may be the empty text, for which
   * `??` gives its right side, too.
   */
  readonly absence: "never" | "empty" | "zero" | "absent"
  /** Of a field. */
  readonly reads?: FieldReading
  /** The only values, of an enum. */
  readonly words?: readonly JsonValue[] | undefined
  /** The only values of the items of a list, or of the values of a map. */
  readonly itemWords?: readonly JsonValue[] | undefined
  /** The only keys of a map. */
  readonly keyWords?: readonly JsonValue[] | undefined
}

/** The fields of structs, from whichever schema they come. */
export interface StructSource {
  /** Undefined for a field that the struct does not have. */
  field(struct: string, name: string): ValueInfo | undefined
  /** The names of its fields, for diagnostics. */
  names(struct: string): readonly string[]
  /** Whether the struct keeps fields that it does not declare. */
  open(struct: string): boolean
}

/** The names that an expression may use. */
export interface ExpressionScope {
  /** The value whose fields are bare names; also `self`. */
  readonly self: CelType
  /** `root`: the whole object, `dyn` when its kind is not known. */
  readonly root: CelType
  /** When `oldSelf` and `oldRoot` may be used: not at all, on updates, or also where they may be absent. */
  readonly old: "never" | "update" | "perhaps"
  /**
   * The position of the expression, which decides the available functions: a clock only in columns, no vendor in fields
   * that the store indexes.
   */
  readonly place: "columns" | "selectable" | "warnings" | "rules" | "defaults"
}

/** An error in an expression, at an offset of its text. */
export interface CheckFault {
  readonly offset: number
  readonly found: string
  /** Empty when `found` says it all. */
  readonly expected: string
  readonly nearest?: string
}

/** A checked tree, with the facts about its value. */
export interface Checked extends ValueInfo {
  /** As written, with the conversions that its parts need. */
  readonly tree: ExpressionTree
  /** The value comes from a field: a Quantity, Duration or time in it is still a text. */
  readonly stored: boolean
}

/** Results of CEL's checker for an expression. */
export interface TypedTrees {
  /** The type of a part; any where CEL refuses the part, or only asks whether it is there. */
  typeOf(tree: ExpressionTree): CelType
  /** CEL has no type for the part: an unknown name or field, operands or arguments that do not fit. */
  isRefused(tree: ExpressionTree): boolean
  /** The part has a valid type, but not the type that its place needs. */
  isMisplaced(tree: ExpressionTree): boolean
  /** Whether a function takes a value of the part's type at `index`; the subject of a method is 0. */
  isTaken(name: string, index: number, tree: ExpressionTree): boolean
  readonly issues: readonly Issue[]
}

/** The walk as its parts see it. */
export interface Checker {
  /** CEL's checker decides what is valid; the walk explains why a part is not. */
  readonly typed: TypedTrees
  readonly structs: StructSource
  readonly scope: ExpressionScope
  /** `beside`: the value that it is compared with, for hints. */
  check(tree: ExpressionTree, beside?: Checked): Checked
  /** Reports an error at a tree of the text. Returns a value of any type, so that one error causes no second one. */
  report(at: ExpressionTree, fault: Omit<CheckFault, "offset">): void
}

/** A value that is computed, without an enum. */
export function computed(tree: ExpressionTree, type: CelType, absence: ValueInfo["absence"] = "never"): Checked {
  return { tree, type, absence, stored: false }
}

/** Stands for a faulty tree, about which nothing more is reported. */
export function unknown(tree: ExpressionTree): Checked {
  return { tree, type: dynType, absence: "absent", stored: false }
}

/** The tree, converted from the text of a field to the value that the text stands for, if its type has one. */
export function valueTree({ tree, type, stored }: Checked): ExpressionTree {
  if (!stored) return tree
  const to = conversionOf(type.kind === "list" ? itemType(type) : type)
  return to === undefined ? tree : { node: "convert", to, list: type.kind === "list", of: tree }
}

function conversionOf(type: CelType): ExpressionConversion | undefined {
  if (isSimple(type, "quantity")) return "quantity"
  if (isSimple(type, "duration")) return "duration"
  return isSimple(type, "timestamp") ? "timestamp" : undefined
}
