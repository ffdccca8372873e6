/**
 * Objects of every served kind, built from its shape: with few values, or with one list or map that is as wide as a
 * body allows.
 */
import { kinds } from "../../generated/index.ts"
import type { Kind } from "../../runtime/schema/kind.ts"
import { documentValuesMax } from "../../runtime/base/limits.ts"
import type { Scalar, TypeRef, TypeShape } from "../../runtime/schema/shape.ts"
import type { SeededRandom } from "../sim/world/random.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { samples } from "../support/samples.ts"

const vendor = vendorProfile("kubernetes")

export interface KindOfFuzz {
  readonly kind: Kind
  readonly shape: TypeShape
  /** The collection of the kind in the fuzzer's namespace. */
  readonly collection: string
}

/** Called once; shapes are loaded on demand. */
export async function fuzzedKinds(): Promise<readonly KindOfFuzz[]> {
  return Promise.all(
    kinds.map(async (kind) => {
      const { group, version, resource, namespaced } = kind
      const root = group === "" ? `/api/${version}` : `/apis/${vendor.group(group)}/${version}`
      const collection = namespaced ? `${root}/namespaces/default/${resource}` : `${root}/${resource}`
      return { kind, shape: (await kind.load()).shape, collection }
    }),
  )
}

/** Limit for the values of one object: no more than a document may have. */
const valuesMax = documentValuesMax

class Maker {
  private left: number

  constructor(
    private readonly random: SeededRandom,
    /** The length of the wide list or map; 0: there is none. */
    private width: number,
  ) {
    this.left = valuesMax
  }

  struct(shape: TypeShape, depth: number, index: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    for (const { name, type, inline } of shape.fields) {
      if (name === "kind" || name === "apiVersion" || name === "managedFields" || this.left <= 0) continue
      if (inline === true && "ref" in type) Object.assign(object, this.struct(type.ref(), depth, index))
      else if (this.random.chance("scalar" in type ? 0.6 : 1 / (1 + depth))) object[name] = this.value(type, name, depth + 1, index)
    }
    return object
  }

  private value(type: TypeRef, name: string, depth: number, index: number): unknown {
    this.left--
    if (depth > 12) return undefined
    if ("scalar" in type) return scalarOf(type.scalar, name, index, this.random)
    if ("ref" in type) return this.struct(type.ref(), depth, index)
    if ("union" in type) {
      const { fields } = type.union()
      const member = fields[this.random.integer(fields.length - 1)]
      return member && this.value(member.type, name, depth + 1, index)
    }
    const count = this.count()
    if ("map" in type) {
      const entries = Array.from({ length: count }, (_, at) => [`k${at}`, this.value(type.map, name, depth + 1, at)] as const)
      return Object.fromEntries(entries)
    }
    const item = "list" in type ? type.list : type.wrappedList
    const same = this.random.chance(0.3)
    return Array.from({ length: count }, (_, at) => (this.left > 0 ? this.value(item, name, depth + 1, same ? 0 : at) : undefined)).filter(
      (one) => one !== undefined,
    )
  }

  private count(): number {
    if (this.width > 0 && this.random.chance(0.2)) {
      const { width } = this
      if (this.random.chance(0.7)) this.width = 0
      return width
    }
    return this.random.integer(3)
  }
}

/** Values that mostly pass the rules of fields, so that later rules are reached too. */
function scalarOf(scalar: Scalar, name: string, index: number, random: SeededRandom): unknown {
  if (random.chance(0.01)) return random.pick<unknown>([null, -1, "", "\0", [], {}, 1e308, "9".repeat(40)])
  const lower = name.toLowerCase()
  switch (scalar) {
    case "boolean":
      return lower === "controller" ? index > 0 : random.chance(0.5)
    case "int32":
    case "int64":
      return lower.includes("port") ? 1 + (index % 65_535) : random.integer(5)
    case "double":
      return random.fraction()
    case "bytes":
      return "YQ=="
    case "Time":
      return "2026-01-02T03:04:05Z"
    case "MicroTime":
      return "2026-01-02T03:04:05.000000Z"
    case "Duration":
      return "1h"
    case "Quantity":
      return `${1 + index}m`
    case "IntOrString":
      return random.pick<unknown>([1 + (index % 65_535), `p${index}`])
    case "string":
      return textOf(lower, index, random)
    default:
      return { a: index }
  }
}

function textOf(name: string, index: number, random: SeededRandom): string {
  if (name === "ip" || name.endsWith("ips") || name.endsWith("ip")) return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
  if (name.includes("path")) return `/p${index}`
  if (name === "protocol") return "TCP"
  if (name === "apiversion") return "v1"
  if (name === "kind") return "ConfigMap"
  if (name === "operator") return random.pick(["In", "Exists", "Equal"])
  if (name === "effect") return "NoSchedule"
  if (name === "type" || name === "status") return random.pick(["True", "ClusterIP", "Ready", `t${index}`])
  return `${name.slice(0, 4).replace(/[^a-z]/g, "x") || "x"}${index}`
}

const widths = [0, 0, 0, 50, 500, 3000, 20_000] as const

/** An object, usually a valid one with some value replaced. */
export function objectOf({ kind, shape }: KindOfFuzz, random: SeededRandom, name: string): Record<string, unknown> {
  const maker = new Maker(random, random.pick(widths))
  const made = maker.struct(shape, 0, 0)
  const sample: unknown = Object.entries(samples).find(([resource]) => resource === kind.resource)?.[1]
  const good = typeof sample === "object" && sample !== null ? structuredClone(sample) : {}
  const [field] = Object.keys(made).length === 0 ? [] : [random.pick(nonEmpty(Object.keys(made)))]
  const whole = random.chance(0.3)
    ? made
    : { ...good, ...(field !== undefined && { [field]: mixed(Reflect.get(good, field), made[field], random) }) }
  const version = kind.group === "" ? kind.version : `${vendor.group(kind.group)}/${kind.version}`
  const metadata: unknown = Reflect.get(whole, "metadata")
  return { ...whole, apiVersion: version, kind: kind.kind, metadata: { ...(typeof metadata === "object" ? metadata : {}), name } }
}

/** Some fields of each of two objects. */
function mixed(one: unknown, other: unknown, random: SeededRandom): unknown {
  if (typeof one !== "object" || one === null || Array.isArray(one) || typeof other !== "object" || other === null) return other
  const fields = Object.entries(other).filter(() => random.chance(0.4))
  return { ...one, ...Object.fromEntries(fields) }
}

export function nonEmpty<T>(list: readonly T[]): [T, ...T[]] {
  const [first, ...rest] = list
  if (first === undefined) throw new Error("nothing to choose from")
  return [first, ...rest]
}
