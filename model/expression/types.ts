/**
 * The types of expressions are CEL's; quantities and numbers-or-texts are opaque there. Here they get the words of the
 * dialect: function signatures and diagnostics write `int`, `list(string)`, `map(quantity)`, `core.v1.PodSpec`.
 */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  stringType,
  timestampType,
  uintType,
} from "../../cel/index.ts"

/** Of a quantity: it compares and adds exactly. */
export const quantityType: CelType = opaqueType("quantity")

/** Of a field that holds a number or a text. Rules compare it with both; for a sum they convert it. */
export const intOrStringType: CelType = opaqueType("intOrString")

/** The types without parameters. `dyn` is any value, known at run time. */
export const simpleTypes = {
  dyn: dynType,
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  duration: durationType,
  timestamp: timestampType,
  quantity: quantityType,
  intOrString: intOrStringType,
}

export type SimpleType = keyof typeof simpleTypes

/** The type of a struct of the model, such as `core.v1.PodSpec`. `StructSource` has its fields. */
export function structType(name: string): CelType {
  return { kind: "struct", name, parameters: [] }
}

/** The type of the items of a list; of anything else `dyn`. */
export function itemType(type: CelType): CelType {
  return (type.kind === "list" ? type.parameters[0] : undefined) ?? dynType
}

/** The type of the values of a map; of anything else `dyn`. */
export function valueType(type: CelType): CelType {
  return (type.kind === "map" ? type.parameters[1] : undefined) ?? dynType
}

/** The word for the type; undefined for lists, maps and structs. */
export function simpleName({ kind, name }: CelType): SimpleType | undefined {
  switch (kind) {
    case "list":
    case "map":
    case "struct":
      return undefined
    case "opaque":
      return name === quantityType.name ? "quantity" : "intOrString"
    case "any":
    case "error":
    case "param":
    case "type":
      return "dyn"
    default:
      return kind
  }
}

/** Whether `type` is one of the simple types. */
export function isSimple(type: CelType, ...names: readonly SimpleType[]): boolean {
  const word = simpleName(type)
  return word !== undefined && names.includes(word)
}

/** The type as signatures and diagnostics write it. */
export function typeText(type: CelType): string {
  if (type.kind === "list") return `list(${typeText(itemType(type))})`
  if (type.kind === "map") return `map(${typeText(valueType(type))})`
  return simpleName(type) ?? type.name
}

/** The type with its article: `an int`, `a list(string)`, `null`. */
export function typePhrase(type: CelType): string {
  const text = typeText(type)
  if (text === "null" || text === "bytes") return text
  if (text === "dyn") return "a value of any type"
  return `${/^[aeiou]/.test(text) ? "an" : "a"} ${text}`
}

/** Whether both are the same type. */
export function sameType(left: CelType, right: CelType): boolean {
  return typeText(left) === typeText(right)
}

/** Numbers of any kind. */
export function isNumber(type: CelType): boolean {
  return isSimple(type, "int", "uint", "double")
}

/** A value that prints as one word or number. */
export function isScalarType(type: CelType): boolean {
  return simpleName(type) !== undefined && !isSimple(type, "null", "bytes")
}

/** Reads a type of a function's signature. Throws on any other text: signatures are code. */
export function parseType(text: string): CelType {
  const generic = /^(list|map)\((.*)\)$/.exec(text)
  if (generic?.[2] !== undefined) {
    const inner = parseType(generic[2])
    return generic[1] === "list" ? listType(inner) : mapType(stringType, inner)
  }
  const simple = Object.entries(simpleTypes).find(([name]) => name === text)?.[1]
  if (simple === undefined) throw new Error(`no type of expressions: ${text}`)
  return simple
}
