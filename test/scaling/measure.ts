/**
 * The measurement itself, bundled with counters by `counting-build.ts` and run in its own process. For each list and
 * map of each kind, alone and with its neighbours, it writes one line of JSON: the count, and whether it grows faster
 * than the object.
 */
import { createRandom } from "../sim/world/random.ts"
import { openRegistry } from "../support/open-registry.ts"
import type { ApiObject, JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { containersOf, type Container, entryKey, put, valueOf } from "./shapes.ts"
import { faultsOfGrowth } from "./growth.ts"
import { decodedAnew, faultsOf, type KindUnderTest, type Operation, operationsOf, type Sizes } from "./operations.ts"
import { leastObjects } from "../support/least-objects.ts"
import { type OwnCase, ownCases } from "./own-cases.ts"
import { repaired } from "./repair.ts"
import { isStored } from "../../runtime/schema/kind.ts"

/** One line of output. */
export interface Measured {
  readonly kind: string
  readonly field: string
  /** Whether the objects were valid, so that everything after validation was counted too. */
  readonly valid: boolean
  readonly faults: readonly string[]
}

const namespace = "default"
interface Group {
  readonly name: string
  readonly containers: readonly Container[]
}

const measuredTypes = new Set<string>()

/**
 * Each container alone, and all containers of one owner together, because rules compare lists with their neighbours.
 * The first kind of a shared type measures the type. One more group fills every container of a kind.
 */
function groupsOf(containers: readonly Container[]): Group[] {
  const byOwner = new Map<string, Container[]>()
  for (const container of containers) {
    if (measuredTypes.has(container.ownerType)) continue
    byOwner.set(container.ownerType, [...(byOwner.get(container.ownerType) ?? []), container])
  }
  for (const type of byOwner.keys()) measuredTypes.add(type)
  const groups = [...byOwner.values()].flatMap((same) => [
    ...same.map((container) => ({ name: shown(container.path), containers: [container] })),
    ...(same.length > 1 ? [{ name: `${shown(same[0]?.owner ?? [])}.*`, containers: same }] : []),
  ])
  return [...groups, { name: "*", containers }]
}

function shown(path: readonly string[]): string {
  return path
    .map((step) => (step === "[]" || step === "{}" ? step : `.${step}`))
    .join("")
    .slice(1)
}

async function measure(under: KindUnderTest, operations: readonly Operation[], group: Group): Promise<Omit<Measured, "kind">> {
  const { base, varied, valid, containers } = templateOf(under, group)
  const faults: string[] = []
  for (const variant of ["distinct", "identical", "same key"] as const) {
    const make = (count: number): Sizes => sizesOf(base, containers, { variant, count, varied, shape: under.handle.parts.shape })
    faults.push(...(await faultsOfGrowth(operations, `${variant} items`, make)))
  }
  return { field: group.name, valid, faults }
}

async function measureOwn(under: KindUnderTest, operations: readonly Operation[], own: OwnCase): Promise<Omit<Measured, "kind">> {
  const make = (count: number): Sizes => ({ ...own.make(count), count })
  const { object } = make(64)
  return {
    field: own.name,
    valid: faultsOf(under, decodedAnew(under, object)).length === 0,
    faults: await faultsOfGrowth(operations, "items", make),
  }
}

interface Template {
  readonly base: ApiObject
  readonly containers: readonly Container[]
  /** The values that make items distinct. */
  readonly varied: Varied
  readonly valid: boolean
}

type Varied = "all" | "texts" | "keys"

/** A valid object with one item in each list. Omits lists that cannot be combined. */
function templateOf(under: KindUnderTest, group: Group): Template {
  const { shape } = under.handle.parts
  const { kind } = under.handle
  const least = structuredClone(leastObjects[kind.kind === "Event" ? `${kind.group === "" ? "v1" : "events"} Event` : kind.kind] ?? {})
  const empty: ApiObject = { ...least, metadata: { name: "n", ...(under.namespace !== "" && { namespace: under.namespace }) } }
  const judge = (object: ApiObject) => faultsOf(under, decodedAnew(under, object))
  let { object: base, valid } = repaired(empty, shape, judge)
  const taken: Container[] = []
  for (const container of group.containers) {
    const kept = [...container.path, container.isMap ? "{}" : "[]"]
    const next = structuredClone(base)
    put(next, shape, container.path, container.isMap ? { [entryKey]: valueOf(container.item, 0) } : [valueOf(container.item, 0)])
    const tried = repaired(next, shape, judge, kept)
    if (!tried.valid && group.containers.length > 1) continue
    base = tried.object
    valid = tried.valid
    taken.push(container)
  }
  const [only] = taken
  const kept = only === undefined || taken.length > 1 ? [] : [...only.path, only.isMap ? "{}" : "[]"]
  for (const varied of ["all", "texts", "keys"] as const) {
    // Several items may need fields that a single one does not: ports need names, for example.
    const judgeThree = (object: ApiObject) => judge(sizesOf(object, taken, { variant: "distinct", count: 3, varied, shape }).object)
    const three = repaired(structuredClone(base), shape, judgeThree, kept)
    if (three.valid) return { base: three.object, containers: taken, varied, valid }
  }
  return { base, containers: taken, varied: "all", valid: false }
}

interface Filling {
  readonly variant: "distinct" | "identical" | "same key"
  readonly count: number
  readonly varied: Varied
  readonly shape: KindUnderTest["handle"]["parts"]["shape"]
}

/** The object with this many items in each of the containers, and the same with the items in another order. */
function sizesOf(base: ApiObject, containers: readonly Container[], filling: Filling): Sizes {
  const { count } = filling
  const [object, before] = [structuredClone(base), structuredClone(base)]
  // Deeper containers first: a filled one is part of the template of its parent, and is copied with it.
  for (const container of [...containers].sort((left, right) => left.path.length - right.path.length)) {
    const items = itemsOf(valueAt(base, container.path), container, filling)
    const nested = containers.some(
      (other) => other !== container && other.path.length > container.path.length && startsWith(other.path, container.path),
    )
    for (const [target, list] of [
      [object, items],
      [before, [...items].reverse()],
    ] as const) {
      const first = nested ? [items[0] ?? null, ...list.filter((item) => item !== items[0])] : list
      put(
        target,
        filling.shape,
        container.path,
        container.isMap ? Object.fromEntries(first.map((item) => [keyOf(item), valueIn(item)])) : first.map(valueIn),
      )
    }
  }
  return { object, before, count }
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((step, index) => path[index] === step)
}

interface Item {
  readonly key: string
  readonly value: JsonValue
}

const keyOf = (item: Item | null): string => item?.key ?? entryKey
const valueIn = (item: Item | null): JsonValue => item?.value ?? null

function itemsOf(filled: JsonValue | undefined, container: Container, { variant, count, varied }: Filling): Item[] {
  // As `templateOf` made it.
  const template = (container.isMap ? (filled as JsonObject | undefined)?.[entryKey] : (filled as JsonValue[] | undefined)?.[0]) ?? null
  const keys = container.isMap ? prefixes(container) : [""]
  return Array.from({ length: count }, (_, index) => {
    const key = index === 0 ? entryKey : `${keys[index % keys.length]}a${index}`
    if (variant === "identical") return { key, value: structuredClone(template) }
    return { key, value: varyValue(template, index, { varied, keyed: variant === "same key" ? keyFields(container) : undefined }) }
  })
}

/** Prefixes of annotations that have a meaning for the server. */
const meaningful = ["", "container.apparmor.security.beta.orch.io/", "container.seccomp.security.alpha.orch.io/"]

function prefixes({ field }: Container): readonly string[] {
  return field.name === "annotations" ? meaningful : [""]
}

function keyFields({ field }: Container): readonly string[] {
  return field.mapKeys ?? (field.mergeKey === undefined ? ["name"] : [field.mergeKey])
}

function varyValue(value: JsonValue, index: number, how: { varied: Varied; keyed: readonly string[] | undefined }): JsonValue {
  if (typeof value === "string") return varyText(value, index)
  if (typeof value === "number") return how.varied === "all" && value === 1 ? index + 1 : value
  if (Array.isArray(value)) return value
  if (typeof value !== "object" || value === null) return value
  const varied: JsonObject = {}
  for (const name of Object.keys(value)) {
    const field = value[name] ?? null
    const stays =
      how.keyed?.includes(name) === true || (how.varied === "keys" && !(name === "name" || name.endsWith("Path") || name === "key"))
    varied[name] = stays ? field : varyValue(field, index, how)
  }
  return varied
}

function varyText(text: string, index: number): string {
  if (text === "1") return String(index + 1)
  if (text === "10.0.0.0") return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
  if (text === "10.0.0.0/24") return `10.${(index >> 8) & 255}.${index & 255}.0/24`
  return text.replace(/([aA])0/, `$1${index}`)
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object
  // `put` made the values along this path.
  for (const step of path) at = (at as JsonObject | undefined)?.[step === "[]" ? "0" : step === "{}" ? entryKey : step]
  return at
}

/** Large enough that no object is refused a number, and that allocated numbers are far apart. */
const ranges = { "service-cluster-ip-range": ["10.0.0.0/16"], "service-node-port-range": { first: 1, last: 60_000 } }
const opened = await openRegistry({ behaviourOptions: ranges, random: createRandom(1) })
// Allocates the highest numbers: the stored range ends with the highest allocated number, so its length stays constant.
await opened.create("services", {
  metadata: { name: "highest", namespace },
  spec: { type: "NodePort", clusterIP: "10.0.255.254", ports: [{ port: 1, nodePort: ranges["service-node-port-range"].last }] },
})
const wanted = process.argv[2]

function tell(kind: string, apiVersion: string, measured: Omit<Measured, "kind">): void {
  process.stdout.write(`${JSON.stringify({ kind: `${apiVersion} ${kind}`, ...measured })}\n`)
}

for (const kind of opened.registry.deps.kinds.served()) {
  if (!isStored(kind) || (wanted !== undefined && kind.kind !== wanted)) continue
  const handle = await opened.registry.handle(kind)
  const under: KindUnderTest = { registry: opened.registry, handle, namespace: kind.namespaced ? namespace : "" }
  const operations = await operationsOf(under)
  for (const group of groupsOf(containersOf(handle.parts.shape))) {
    const measured = await measure(under, operations, group)
    tell(kind.kind, handle.apiVersion, measured)
  }
  for (const own of handle.kind.group === "" ? (ownCases[kind.kind] ?? []) : [])
    tell(kind.kind, handle.apiVersion, await measureOwn(under, operations, own))
}
await opened.close()
process.exit(0)
