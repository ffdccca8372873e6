/**
 * The types of expressions: those of CEL, plus quantities and numbers-or-texts. Function signatures and diagnostics
 * write them as text: `int`, `list(string)`, `map(quantity)`, `core.v1.PodSpec`.
 */

/** A type without parameters. */
export type SimpleType =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "duration"
  | "timestamp"
  | "quantity"
  | "intOrString"

/** `map` has text keys. `struct` is named as in the model: `core.v1.PodSpec`. `dyn` is any value, known at run time. */
export type ExpressionType =
  | { readonly simple: SimpleType }
  | { readonly list: ExpressionType }
  | { readonly map: ExpressionType }
  | { readonly struct: string }

export const dyn: ExpressionType = { simple: "dyn" }
export const string: ExpressionType = { simple: "string" }

/** Whether `type` is one of the simple types. */
export function isSimple(type: ExpressionType, ...names: readonly SimpleType[]): boolean {
  return "simple" in type && names.includes(type.simple)
}

/** The type as signatures and diagnostics write it. */
export function typeText(type: ExpressionType): string {
  if ("simple" in type) return type.simple
  if ("struct" in type) return type.struct
  return "list" in type ? `list(${typeText(type.list)})` : `map(${typeText(type.map)})`
}

/** The type with its article: `an int`, `a list(string)`, `null`. */
export function typePhrase(type: ExpressionType): string {
  const text = typeText(type)
  if (text === "null" || text === "bytes") return text
  if (text === "dyn") return "a value of any type"
  return `${/^[aeiou]/.test(text) ? "an" : "a"} ${text}`
}

/** Whether both are the same type. */
export function sameType(left: ExpressionType, right: ExpressionType): boolean {
  return typeText(left) === typeText(right)
}

/** Numbers of any kind. */
export function isNumber(type: ExpressionType): boolean {
  return isSimple(type, "int", "uint", "double")
}

/** A value that is one word or number and prints as such. */
export function isScalarType(type: ExpressionType): boolean {
  return "simple" in type && !isSimple(type, "null", "bytes")
}

const simpleTypes: readonly SimpleType[] = [
  "dyn",
  "null",
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "duration",
  "timestamp",
  "quantity",
  "intOrString",
]

/** Reads a type of a function's signature. Throws on any other text: signatures are code. */
export function parseType(text: string): ExpressionType {
  const generic = /^(list|map)\((.*)\)$/.exec(text)
  if (generic?.[2] !== undefined) {
    const inner = parseType(generic[2])
    return generic[1] === "list" ? { list: inner } : { map: inner }
  }
  const simple = simpleTypes.find((name) => name === text)
  if (simple === undefined) throw new Error(`no type of expressions: ${text}`)
  return { simple }
}
