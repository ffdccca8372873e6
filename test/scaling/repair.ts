/**
 * Makes valid objects without knowledge of the rules: changes the reported fields until validation accepts the object.
 */
import type { Failure } from "../../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"
import { attemptsMax, type FieldPath, jsonFields, put, stepsOf, typeAt, valueOf } from "./shapes.ts"

/** Returns the failures of a decoded and defaulted copy of an object. */
export type Judge = (object: ApiObject) => readonly Failure[]

const roundsMax = 60

/** Changes `object` until it is valid, or as far as that succeeds. Never removes `kept`, even if it is reported. */
export function repaired(object: ApiObject, shape: TypeShape, judge: Judge, kept: FieldPath = []): { object: ApiObject; valid: boolean } {
  const attempts = new Map<string, number>()
  const refused = new Set<string>()
  for (let round = 0; round < roundsMax; round++) {
    const failures = judge(object)
    if (failures.length === 0) return { object, valid: true }
    for (const failure of failures.slice(0, 4)) mend(object, shape, failure, { attempts, refused, kept })
  }
  return { object, valid: false }
}

interface Memory {
  readonly attempts: Map<string, number>
  readonly refused: Set<string>
  readonly kept: FieldPath
}

function mend(object: ApiObject, shape: TypeShape, failure: Failure, memory: Memory): void {
  const steps = stepsOf(failure.field, shape)
  const oneOf = /^must specify one of: ([\w.]+(?:, [\w.]+)*)/.exec(failure.detail)?.[1]?.split(", ")
  if (oneOf !== undefined) return fill(object, shape, [...steps, ...(choice(oneOf, failure.field, memory) ?? "").split(".")], memory)
  const type = typeAt(shape, steps)
  if (type === undefined) return fill(object, shape, steps.slice(0, -1), memory)
  const words = failure.supported ?? namedWords(failure.detail)
  const named = failure.supported === undefined ? words : []
  if (fillNamed(object, shape, steps, { words: named, memory })) return
  if (failure.type === "Forbidden" && !isAbove(steps, memory.kept)) {
    memory.refused.add(steps.join("."))
    remove(object, steps)
  } else if (failure.type !== "Forbidden" && failure.type !== "Required" && words.length > 0 && "scalar" in type) {
    put(object, shape, steps, words[next(memory, failure.field) % words.length] ?? "")
  } else if (failure.type === "Required" && "ref" in type && next(memory, failure.field) > 1) {
    const [field] = jsonFields(type.ref()).filter(({ name }) => !memory.refused.has([...steps, name].join(".")))
    if (field !== undefined) fill(object, shape, [...steps, field.name], memory)
  } else fill(object, shape, steps, memory)
}

/** The quoted words of a message: "must be `Apply` or `Update`", "may only be used when `type` is 'LoadBalancer'". */
function namedWords(detail: string): string[] {
  const oneOf = /(?:one of|when) (\w+)(?: and (\w+))?/.exec(detail)?.slice(1) ?? []
  const quoted = [...detail.matchAll(/[`']([\w.-]+)[`']/g)].map(([, word]) => word)
  return [...oneOf, ...quoted].flatMap((word) => (word === undefined || word === "" ? [] : [word]))
}

/**
 * Sets a field that the message names, in the value or beside it, to the next quoted word if the field is a scalar.
 * Tries each field once.
 */
function fillNamed(object: ApiObject, shape: TypeShape, steps: FieldPath, from: { words: readonly string[]; memory: Memory }): boolean {
  const { words, memory } = from
  for (const holder of [steps, steps.slice(0, -1), steps.slice(0, -2)]) {
    const type = typeAt(shape, holder)
    if (type === undefined || !("ref" in type)) continue
    for (const { name } of jsonFields(type.ref())) {
      const path = [...holder, name]
      if (!words.includes(name) || isAbove(path, memory.kept) || next(memory, `${path.join(".")}!`) > 0) continue
      const value = words[words.indexOf(name) + 1]
      const below = typeAt(shape, path)
      if (below !== undefined && "scalar" in below && value !== undefined) put(object, shape, path, value)
      else fill(object, shape, path, memory)
      return true
    }
  }
  return false
}

function choice(names: readonly string[], field: string, memory: Memory): string | undefined {
  return names[next(memory, `${field}?`) % names.length]
}

/** Sets another value each time. */
function fill(object: ApiObject, shape: TypeShape, steps: FieldPath, memory: Memory): void {
  const type = typeAt(shape, steps)
  if (type === undefined || (isAbove(steps, memory.kept) && !(steps.length === memory.kept.length && "scalar" in type))) return
  put(object, shape, steps, valueOf(type, 0, next(memory, steps.join(".")) % attemptsMax))
}

function next(memory: Memory, key: string): number {
  const attempt = memory.attempts.get(key) ?? 0
  memory.attempts.set(key, attempt + 1)
  return attempt
}

/** Whether replacing the value at `steps` would remove `kept`. */
function isAbove(steps: FieldPath, kept: FieldPath): boolean {
  return kept.length > 0 && steps.length <= kept.length && steps.every((step, index) => step === kept[index])
}

function remove(object: JsonObject, steps: FieldPath): void {
  let at: JsonObject = object
  for (const step of steps.slice(0, -1)) {
    const below = at[step === "[]" ? "0" : step]
    if (typeof below !== "object" || below === null) return
    at = below as JsonObject // Lists are read by their index.
  }
  const last = steps.at(-1)
  if (last !== undefined) delete at[last]
}
