/** Reads the recorded tables, and compiles and evaluates their expressions as the recorder did. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import {
  type Compiled,
  Double,
  Duration,
  doubleText,
  Environment,
  ErrorValue,
  formatType,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  optionalLibrary,
  type Outcome,
  type Result,
  stringOf,
  Timestamp,
  TypeValue,
  Uint,
} from "../../cel/index.ts"
import { type AuthorizerAnswer, type AuthorizerQuestion, authorizerOf, authorizerType, librariesOf } from "../../cel/libraries/index.ts"
import { declaredType } from "../../cel/schema/declared-type.ts"
import { readerOf, resourceReaderOf } from "../../cel/schema/json-value.ts"
import type { Schema } from "../../cel/schema/schema.ts"
import { sizeEstimatorOf } from "../../cel/schema/size-estimator.ts"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { structuralOf } from "../../runtime/definitions/structural.ts"

const ownFolder = join(import.meta.dirname, "recorded")

export interface Case {
  readonly expression: string
  readonly since?: string
  readonly issues?: string
  readonly type?: string
  readonly programError?: string
  readonly value?: string
  readonly error?: string
  readonly cost?: bigint
  readonly estimate?: readonly [min: bigint, max: bigint]
}

interface Table {
  readonly self: { readonly schema: JsonObject; readonly value: JsonValue; readonly root?: boolean }
  readonly cases: readonly Case[]
}

/** A table, with functions to compile and evaluate its expressions and to estimate their costs. */
export interface Recorded {
  readonly name: string
  readonly cases: readonly Case[]
  compile(expression: string, minor?: number): ReturnType<Environment["compile"]>
  estimate(compiled: Compiled): { readonly min: bigint; readonly max: bigint }
  evaluate(compiled: Compiled): Outcome
}

export function recordedTables(folder = ownFolder): readonly Recorded[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => load(file.slice(0, -".yaml".length), readFileSync(join(folder, file), "utf8")))
}

function load(name: string, text: string): Recorded {
  const table: Table = parse(text, { intAsBigInt: true })
  const { self } = table
  const schema: Schema = structuralOf(plainObject(self.schema), "x-kubernetes-")
  const declared = declaredType(schema, "selfType", self.root)
  if (declared === undefined) throw new Error(`${name}: expressions cannot see the schema`)
  const environments = new Map<number, Environment>()
  const size = sizeEstimatorOf(declared.type)
  const value = (self.root ? resourceReaderOf : readerOf)(schema)(plain(self.value))
  if (value instanceof ErrorValue) throw new Error(`${name}: ${value.message}`)
  const variables = { self: value, authorizer: authorizerOf(authorize) }
  return { name, cases: table.cases, compile, estimate: (compiled) => compiled.estimate({ size }), evaluate }

  function compile(expression: string, minor = 30): ReturnType<Environment["compile"]> {
    const environment = environments.get(minor) ?? makeEnvironment(minor)
    environments.set(minor, environment)
    return environment.compile(expression)
  }

  function makeEnvironment(minor: number): Environment {
    const types = { self: declared?.type ?? missing(), authorizer: authorizerType }
    return new Environment({ variables: types, libraries: [optionalLibrary, ...librariesOf(minor)] })
  }

  function evaluate(compiled: Compiled): Outcome {
    return compiled.program.evaluate(variables, { costLimit: 10_000_000 })
  }
}

function missing(): never {
  throw new Error("no type")
}

/** Whole numbers are bigints in the parsed tables, so that costs are exact. */
function plain(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(plain)
  return isObject(value) ? plainObject(value) : value
}

function plainObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part ?? null)]))
}

/** The same authorizer as in the recorder. */
function authorize(question: AuthorizerQuestion): AuthorizerAnswer {
  const { serviceAccount: account, verb, path, resource } = question
  const user = account === undefined ? "alice" : `system:serviceaccount:${account.namespace}:${account.name}`
  const groups = account === undefined ? "group-a" : `system:serviceaccounts,system:serviceaccounts:${account.namespace}`
  const asked =
    resource === undefined
      ? `path=${path}`
      : `resource=${resource.group}/*/${resource.resource}/${resource.subresource} ` +
        `namespace=${resource.namespace} name=${resource.name}`
  return {
    allowed: verb === "get",
    reason: `user=${user} groups=${groups} verb=${verb} ${asked}`,
    ...(verb === "fail" && { error: "no answer" }),
  }
}

/** Writes a value as the recorder does. */
export function render(value: Result): string {
  if (value instanceof ErrorValue) return `error(${value.message})`
  if (typeof value === "string") return JSON.stringify(value).replace(/[\u2028\u2029\u007f]/g, escaped)
  if (value === null || typeof value !== "object") return String(value)
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Double) return `double(${doubleText(value.value)})`
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString("hex")})`
  if (value instanceof Timestamp || value instanceof Duration) return renderTime(value)
  if (value instanceof TypeValue) return `type(${value.type.name})`
  if (value instanceof OptionalValue) {
    return value.value === undefined ? "optional.none()" : `optional(${render(value.value)})`
  }
  if (value instanceof ListValue) return `[${value.toArray().map(render).join(", ")}]`
  if (value instanceof MapValue) return renderMap(value)
  return value instanceof OpaqueValue ? renderOpaque(value) : "?"
}

function escaped(character: string): string {
  return character === "\u007f" ? character : `\\u${character.charCodeAt(0).toString(16)}`
}

function renderTime(value: Timestamp | Duration): string {
  const text: Result = stringOf(value)
  return `google.protobuf.${value instanceof Timestamp ? "Timestamp" : "Duration"}(${String(text)})`
}

function renderMap(map: MapValue): string {
  const entries = map.keys().map((key) => `${render(key)}: ${render(map.find(key) ?? null)}`)
  return `{${entries.sort().join(", ")}}`
}

const opaqueNames: Readonly<Record<string, string>> = {
  "kubernetes.Quantity": "quantity",
  "kubernetes.URL": "url",
  "net.IP": "ip",
  "net.CIDR": "cidr",
}

function renderOpaque(value: OpaqueValue): string {
  const name = opaqueNames[value.type.name]
  return name === undefined ? `<${value.type.name}>` : `${name}(${value.print()})`
}

/** The type of the result as the recorder writes it. */
export function typeText(compiled: Compiled): string {
  return formatType(compiled.type)
}
