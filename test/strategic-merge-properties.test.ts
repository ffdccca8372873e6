/**
 * Strategic merge patch against a model that is simple because it works backwards: for two random pods the test writes
 * a patch as clients write it, with every directive, and the patch must turn the first into the second. Fields and
 * items that other clients have added meanwhile stay. Specification 4.8.
 */
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../generated/index.ts"
import { applyStrategicMergePatch } from "../runtime/apply/strategic-merge-patch.ts"
import { isObject, type JsonObject, type JsonValue } from "../runtime/base/json.ts"
import type { TypeShape } from "../runtime/schema/shape.ts"

let shape: TypeShape

beforeAll(async () => {
  const kind = kinds.find(({ resource }) => resource === "pods")
  if (kind === undefined) throw new Error("there are pods")
  shape = (await kind.load()).shape
})

/** The documented merge keys of a pod's lists. */
const keyOfList: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  imagePullSecrets: "name",
  ownerReferences: "uid",
  ports: "containerPort",
  volumeMounts: "mountPath",
  volumes: "name",
}
const sets: readonly string[] = ["finalizers"]
/** Items have one of several fields: fields that the patch does not name are removed. */
const unions: readonly string[] = ["volumes"]

const word = fc.constantFrom("a", "b", "c", "10", "9")
const texts = fc.dictionary(fc.constantFrom("a", "b", "x.y/z", "constructor"), word, { maxKeys: 3 })

function keyed<Item extends JsonObject>(item: fc.Arbitrary<Item>, key: string): fc.Arbitrary<Item[]> {
  return fc.uniqueArray(item, { selector: (each) => each[key], maxLength: 4 })
}

function optional(fields: Readonly<Record<string, fc.Arbitrary<JsonValue>>>, required: readonly string[] = []): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [...required] })
}

const container = optional(
  {
    name: word,
    image: word,
    args: fc.array(word, { maxLength: 3 }),
    env: keyed(optional({ name: word, value: word }, ["name"]), "name"),
    ports: keyed(
      optional({ containerPort: fc.integer({ min: 8, max: 11 }), name: word, protocol: word }, ["containerPort"]),
      "containerPort",
    ),
    volumeMounts: keyed(optional({ mountPath: word, readOnly: fc.boolean() }, ["mountPath"]), "mountPath"),
    resources: optional({ limits: texts, requests: texts }),
  },
  ["name"],
)
const volume = fc.oneof(
  fc.record({ name: word, emptyDir: optional({ medium: word }) }),
  fc.record({ name: word, secret: optional({ secretName: word, defaultMode: fc.nat(7) }) }),
)
const anyPod = optional({
  metadata: optional({
    labels: texts,
    annotations: texts,
    finalizers: fc.uniqueArray(word, { maxLength: 4 }),
    ownerReferences: keyed(optional({ uid: word, controller: fc.boolean() }, ["uid"]), "uid"),
  }),
  spec: optional({
    nodeName: word,
    nodeSelector: texts,
    containers: keyed(container, "name"),
    volumes: keyed(volume, "name"),
    imagePullSecrets: keyed(optional({ name: word }, ["name"]), "name"),
    tolerations: fc.array(optional({ key: word, operator: word }), { maxLength: 2 }),
    securityContext: optional({ runAsUser: fc.nat(3), supplementalGroups: fc.array(fc.nat(3), { maxLength: 2 }) }),
  }),
})

/** A reproducible random choice between two ways to write the same. */
type Coin = () => boolean

const coin: fc.Arbitrary<readonly boolean[]> = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })

function tossed(sides: readonly boolean[]): Coin {
  let next = 0
  return () => sides[next++ % sides.length] ?? false
}

/** Returns a patch that turns `from` into `to`. */
function written(from: JsonObject, to: JsonObject, toss: Coin, whole = false): JsonObject {
  const patch: JsonObject = {}
  for (const name of Object.keys(from)) if (!Object.hasOwn(to, name) && !whole) patch[name] = null
  for (const [name, after = null] of Object.entries(to)) {
    const before = Object.hasOwn(from, name) ? from[name] : undefined
    if (JSON.stringify(before) === JSON.stringify(after)) continue
    if (isObject(before) && isObject(after)) {
      const replaced = toss() && toss()
      patch[name] = replaced ? { ...after, $patch: "replace" } : written(before, after, toss)
    } else if (Array.isArray(before) && Array.isArray(after)) Object.assign(patch, writtenList(name, before, after, toss))
    else patch[name] = after
  }
  if (whole) patch["$retainKeys"] = Object.keys(to)
  return patch
}

function writtenList(name: string, before: readonly JsonValue[], after: readonly JsonValue[], toss: Coin): JsonObject {
  const key = keyOfList[name]
  if (sets.includes(name)) {
    return {
      [`$deleteFromPrimitiveList/${name}`]: before.filter((value) => !after.includes(value)),
      ...(after.length > 0 && { [`$setElementOrder/${name}`]: [...after], [name]: after.filter((value) => !before.includes(value)) }),
    }
  }
  if (key === undefined) return { [name]: [...after] }
  if (toss() && toss()) return { [name]: [...after, { $patch: "replace" }] }
  const items = after.filter(isObject).flatMap((item): JsonObject[] => {
    const old = before.filter(isObject).find((candidate) => candidate[key] === item[key])
    if (old === undefined) return [item]
    const union = unions.includes(name)
    const change = written(old, item, toss, union)
    return Object.keys(change).length === (union ? 1 : 0) && JSON.stringify(old) === JSON.stringify(item)
      ? []
      : [{ ...change, [key]: item[key] ?? null }]
  })
  const gone = before.filter(isObject).filter((item) => !after.filter(isObject).some((other) => other[key] === item[key]))
  const deletions = gone.map((item) => ({ $patch: "delete", [key]: item[key] ?? null }))
  const order = after.filter(isObject).map((item) => ({ [key]: item[key] ?? null }))
  return {
    [name]: toss() ? [...items, ...deletions] : [...deletions, ...items],
    ...(order.length > 0 && { [`$setElementOrder/${name}`]: order }),
  }
}

/** The pod with additions by another writer, under names that no patch contains. */
function withOthers(value: JsonValue, name: string): JsonValue {
  if (Array.isArray(value)) {
    const key = keyOfList[name]
    const items = key === undefined ? value : value.map((item) => withOthers(item, ""))
    if (sets.includes(name)) return ["other", ...items]
    return key === undefined ? items : [{ [key]: otherKey(key) }, ...items]
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([field, inner]) => [field, withOthers(inner ?? null, field)] as const)
  return Object.fromEntries(maps.includes(name) ? [...fields, ["other", "x"]] : fields)
}

const maps: readonly string[] = ["labels", "annotations", "nodeSelector", "limits", "requests"]

function otherKey(key: string): JsonValue {
  return key === "containerPort" ? 77 : "other"
}

/** Removes the additions of `withOthers`. */
function withoutOthers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => !isOther(item)).map(withoutOthers)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "other")
      .map(([name, field]) => [name, withoutOthers(field ?? null)]),
  )
}

function isOther(item: JsonValue): boolean {
  return item === "other" || (isObject(item) && Object.values(item).some((field) => field === "other" || field === 77))
}

describe("a strategic merge patch", () => {
  it("turns the first of two pods into the second, item by item in its order", () => {
    fc.assert(
      fc.property(anyPod, anyPod, coin, (from, to, sides) => {
        const patch = written(from, to, tossed(sides))
        const before = JSON.stringify([from, patch])
        const result = applyStrategicMergePatch(shape, from, patch)
        expect(result).toEqual(to)
        expect(JSON.stringify([from, patch])).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })

  it("leaves additions by others alone, unless it replaces", () => {
    fc.assert(
      fc.property(anyPod, anyPod, (from, to) => {
        const patch = written(from, to, () => false)
        const live = withOthers(from, "")
        if (!isObject(live)) throw new Error("a pod is an object")
        const result = applyStrategicMergePatch(shape, live, patch)
        expect(withoutOthers(result)).toEqual(to)
        for (const name of ["metadata", "spec"]) expectOthers(live[name], result[name])
      }),
      { numRuns: 1000 },
    )
  })
})

/** Expects that wherever a part still exists, the additions of others to it do too. */
function expectOthers(live: JsonValue | undefined, result: JsonValue | undefined): void {
  if (!isObject(live) || !isObject(result)) return
  for (const [name, before] of Object.entries(live)) {
    const after = result[name]
    if (Array.isArray(before) && Array.isArray(after) && before.some(isOther))
      expect(after.filter(isOther), name).toEqual(before.filter(isOther))
    if (maps.includes(name) && after !== undefined) expect(after, name).toMatchObject({ other: "x" })
    expectOthers(before, after)
  }
}
