/** The conformance data of the language: cases flattened, with their types and values in ours. */
import { tests as suite } from "@bufbuild/cel-spec/testdata/conformance.js"
import {
  boolType,
  bytesType,
  type CelType,
  Double,
  doubleType,
  Duration,
  durationType,
  dynType,
  equal,
  errorType,
  intOf,
  intType,
  isError,
  ListValue,
  listOf,
  listType,
  MapValue,
  mapOf,
  mapType,
  nullType,
  objectType,
  opaqueType,
  type Overload,
  optionalType,
  paramType,
  type Result,
  stringType,
  Timestamp,
  timestampType,
  TypeValue,
  typeOf,
  typeType,
  uintOf,
  uintType,
  type Value,
} from "../../cel/index.ts"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"

export interface ConformanceCase {
  /** `macros/exists/list_elem_all_true`. */
  readonly path: string
  readonly source: string
  readonly container: string
  /** The expression is evaluated without a check of types. */
  readonly unchecked: boolean
  /** The expression is not evaluated. */
  readonly checkOnly: boolean
  readonly variables: Readonly<Record<string, CelType>>
  readonly functions: readonly { readonly name: string; readonly overloads: readonly Overload[] }[]
  readonly bindings: Readonly<Record<string, Value>>
  readonly expected: { readonly error: true } | { readonly value?: Value; readonly type?: CelType }
}

/** The case needs features that expressions of the API server lack: messages of protobuf. */
export class Unsupported extends Error {}

/** Every case; for a case that cannot be read, `read` throws the reason. */
export function conformanceCases(): readonly { readonly path: string; read(): ConformanceCase }[] {
  return casesOf(suite, []).map(({ path, original }) => ({ path, read: () => readCase(path, original) }))
}

interface Suite {
  readonly name: string
  readonly suites?: readonly Suite[]
  readonly tests?: readonly { readonly original: JsonObject }[]
}

function casesOf({ suites = [], tests = [] }: Suite, path: readonly string[]): { path: string; original: JsonObject }[] {
  return [
    ...suites.flatMap((child) => casesOf(child, [...path, child.name])),
    ...tests.map(({ original }) => ({ path: [...path, String(original.name)].join("/"), original })),
  ]
}

function readCase(path: string, original: JsonObject): ConformanceCase {
  const declarations = arrayOf(original.typeEnv)
  return {
    path,
    source: String(original.expr),
    container: typeof original.container === "string" ? original.container : "",
    unchecked: original.disableCheck === true,
    checkOnly: original.checkOnly === true,
    variables: Object.fromEntries(declarations.flatMap(readVariable)),
    functions: declarations.flatMap(readFunction),
    bindings: Object.fromEntries(
      Object.entries(objectOf(original.bindings)).map(([name, binding]) => [name, readValue(objectOf(binding).value)]),
    ),
    expected: readExpected(original),
  }
}

function readExpected(original: JsonObject): ConformanceCase["expected"] {
  if (original.evalError !== undefined) return { error: true }
  const typed = objectOf(original.typedResult)
  const value = typed.result ?? original.value
  return {
    ...(original.checkOnly !== true && { value: value === undefined ? true : readValue(value) }),
    ...(typed.deducedType !== undefined && { type: readType(typed.deducedType) }),
  }
}

function readVariable(declaration: JsonValue): [string, CelType][] {
  const { name, ident } = objectOf(declaration)
  return ident === undefined ? [] : [[String(name), readType(objectOf(ident).type)]]
}

function readFunction(declaration: JsonValue): ConformanceCase["functions"][number][] {
  const { name, function: declared } = objectOf(declaration)
  if (declared === undefined) return []
  const overloads = arrayOf(objectOf(declared).overloads).map((overload): Overload => {
    const { overloadId, isInstanceFunction, params, resultType } = objectOf(overload)
    return {
      id: String(overloadId),
      member: isInstanceFunction === true,
      args: arrayOf(params).map(readType),
      result: readType(resultType),
      impl: () => null,
    }
  })
  return [{ name: String(name), overloads }]
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
}
const wellKnown: Readonly<Record<string, CelType>> = {
  TIMESTAMP: timestampType,
  DURATION: durationType,
  "google.protobuf.Timestamp": timestampType,
  "google.protobuf.Duration": durationType,
}

function readType(json: JsonValue | undefined): CelType {
  const [[kind, content] = ["", null]] = Object.entries(objectOf(json))
  const parts = objectOf(content)
  switch (kind) {
    case "primitive":
      return primitives[String(content)] ?? unsupported(`type ${String(content)}`)
    case "wellKnown":
    case "messageType":
      return wellKnown[String(content)] ?? unsupported(`type ${String(content)}`)
    case "dyn":
      return dynType
    case "error":
      return errorType
    case "null":
      return nullType
    case "listType":
      return listType(readType(parts.elemType))
    case "mapType":
      return mapType(readType(parts.keyType), readType(parts.valueType))
    case "typeParam":
      return paramType(String(content))
    case "type":
      return typeType(Object.keys(parts).length === 0 ? undefined : readType(content))
    case "abstractType":
      return abstractType(parts)
    default:
      return unsupported(`type ${kind}`)
  }
}

function abstractType({ name, parameterTypes }: JsonObject): CelType {
  const parameters = arrayOf(parameterTypes).map(readType)
  const [parameter = dynType] = parameters
  return name === "optional_type" ? optionalType(parameter) : opaqueType(String(name), ...parameters)
}

function readValue(json: JsonValue | undefined): Value {
  const [[kind, content] = ["", null]] = Object.entries(objectOf(json))
  switch (kind) {
    case "nullValue":
      return null
    case "boolValue":
      return content === true
    case "int64Value":
      return intOf(BigInt(String(content)))
    case "uint64Value":
      return uintOf(BigInt(String(content)))
    case "doubleValue":
      return new Double(Number(content))
    case "stringValue":
      return String(content)
    case "bytesValue":
      return new Uint8Array(Buffer.from(String(content), "base64"))
    case "listValue":
      return listOf(arrayOf(objectOf(content).values).map(readValue))
    case "mapValue":
      return mapOf(arrayOf(objectOf(content).entries).map(readEntry))
    case "typeValue":
      return new TypeValue(typeNamed(String(content)))
    case "objectValue":
      return readMessage(objectOf(content))
    default:
      return unsupported(`value ${kind}`)
  }
}

function readEntry(entry: JsonValue): readonly [Value, Value] {
  const { key, value } = objectOf(entry)
  return [readValue(key), readValue(value)]
}

const named: readonly CelType[] = [
  boolType,
  intType,
  uintType,
  doubleType,
  stringType,
  bytesType,
  nullType,
  listType(dynType),
  mapType(dynType, dynType),
  typeType(),
  timestampType,
  durationType,
]

function typeNamed(name: string): CelType {
  return named.find((type) => type.name === name) ?? objectType(name, new Map())
}

function readMessage({ "@type": type, value }: JsonObject): Value {
  if (type === "type.googleapis.com/google.protobuf.Duration") return readDuration(String(value))
  if (type !== "type.googleapis.com/google.protobuf.Timestamp") return unsupported(`value ${String(type)}`)
  const text = String(value)
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? ""
  return new Timestamp(Math.floor(Date.parse(text) / 1000), Number(fraction.padEnd(9, "0")))
}

function readDuration(text: string): Duration {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?s$/.exec(text) ?? []
  const nanos = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"))
  return new Duration(sign === "" ? nanos : -nanos)
}

function unsupported(what: string): never {
  throw new Unsupported(what)
}

function objectOf(json: JsonValue | undefined): JsonObject {
  return isObject(json) ? json : {}
}

function arrayOf(json: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(json) ? json : []
}

/** The same type and the same value; NaN is NaN. */
export function sameResult(one: Result, other: Result): boolean {
  if (isError(one) || isError(other)) return false
  if (typeOf(one).name !== typeOf(other).name) return false
  if (one instanceof Double && other instanceof Double && Number.isNaN(one.value)) return Number.isNaN(other.value)
  if (one instanceof ListValue && other instanceof ListValue) {
    return one.size === other.size && one.toArray().every((element, at) => sameResult(element, other.at(at)))
  }
  if (one instanceof MapValue && other instanceof MapValue) {
    return one.size === other.size && one.keys().every((key) => sameResult(one.find(key) ?? null, other.find(key) ?? null))
  }
  return equal(one, other) === true
}
