/** Types of expressions, as the checker computes them. */

export type Kind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "param"
  | "uint"

export interface CelType {
  readonly kind: Kind
  /** `int`, `list`, the name of a parameter, an object or an opaque type. */
  readonly name: string
  /** Of lists, maps, optionals, types and opaque types. */
  readonly parameters: readonly CelType[]
  /** Of an object: its fields by the name that expressions use. Absent: the checker knows no fields. */
  readonly fields?: ReadonlyMap<string, Field>
  /** An object that has fields of any type besides the declared ones. */
  readonly open?: true
  /** The largest size() of a value, for estimates of costs. Absent: unknown. */
  readonly maxElements?: bigint
}

export interface Field {
  /** The name in JSON, which may differ from the name in expressions. */
  readonly property: string
  readonly type: CelType
}

const simple = (kind: Kind, name: string = kind): CelType => ({ kind, name, parameters: [] })

export const anyType = simple("any")
export const boolType = simple("bool")
export const bytesType = simple("bytes")
export const doubleType = simple("double")
export const durationType = simple("duration", "google.protobuf.Duration")
export const dynType = simple("dyn")
export const errorType = simple("error", "!error!")
export const intType = simple("int")
export const nullType = simple("null", "null_type")
export const stringType = simple("string")
export const timestampType = simple("timestamp", "google.protobuf.Timestamp")
export const uintType = simple("uint")

export function listType(element: CelType): CelType {
  return { kind: "list", name: "list", parameters: [element] }
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", parameters: [key, value] }
}

export function optionalType(value: CelType): CelType {
  return opaqueType("optional", value)
}

/** The type of a type: `type(int)`. Without a parameter: of any type. */
export function typeType(parameter?: CelType): CelType {
  return { kind: "type", name: "type", parameters: parameter === undefined ? [] : [parameter] }
}

/** A type of a library: only the library's functions read its values. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: "opaque", name, parameters }
}

/** A parameter of an overload's types: `paramType("T")`. */
export function paramType(name: string): CelType {
  return { kind: "param", name, parameters: [] }
}

/** An object with named fields. Two objects of the same name are the same type. `open`: it has other fields too. */
export function objectType(name: string, fields: ReadonlyMap<string, Field>, open = false): CelType {
  return { kind: "struct", name, parameters: [], fields, ...(open && { open }) }
}

/** As `objectType`. The fields are made when an expression first reads one, so unused fields cost nothing. */
export function lazyObjectType(name: string, makeFields: () => ReadonlyMap<string, Field>): CelType {
  return new LazyObjectType(name, makeFields)
}

const noParameters: readonly CelType[] = []

class LazyObjectType implements CelType {
  readonly kind = "struct"
  readonly parameters = noParameters
  private made: ReadonlyMap<string, Field> | undefined

  constructor(
    readonly name: string,
    private readonly makeFields: () => ReadonlyMap<string, Field>,
  ) {}

  get fields(): ReadonlyMap<string, Field> {
    this.made ??= this.makeFields()
    return this.made
  }
}

export function isOptionalType(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional"
}
