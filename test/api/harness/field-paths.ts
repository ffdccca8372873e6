/** Field paths as causes write them, `spec.ports[0].name` and `data[a.b]`, for reading and changing objects. */
import { isFields, type Fields } from "./scenario.ts"

type Step = string | number

/** A number in brackets is an index, anything else there a key. */
export function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[]+)/g)].map(([, bracketed, name = ""]) =>
    bracketed === undefined ? name : /^\d+$/.test(bracketed) ? Number(bracketed) : bracketed,
  )
}

/** Returns `spec.ports[0]` for `spec.ports[0].name`; the parent of an item is the object that holds the list. */
export function parentOf(path: string): string {
  return path.replace(/(\.[^.[\]]+|\[[^\]]*\])$/, "") === path ? "" : path.replace(/(\.[^.[\]]+|\[[^\]]*\])$/, "")
}

export function has(value: unknown, path: string): boolean {
  return at(value, path) !== undefined
}

/** Returns the value at the path; undefined when there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value
  for (const step of stepsOf(path)) {
    if (Array.isArray(found)) found = found[Number(step)]
    else if (isFields(found)) found = found[String(step)]
    else return undefined
  }
  return found
}

/** A copy with these values at these paths; null removes a value. Makes missing parents. */
export function changed(value: unknown, set: Fields): unknown {
  const holder: Record<string, unknown> = { root: structuredClone(value) }
  for (const [path, to] of Object.entries(set)) {
    const steps = ["root", ...stepsOf(path)]
    put(holder, steps, structuredClone(to))
  }
  return holder.root
}

function put(holder: Record<string, unknown>, steps: readonly Step[], value: unknown): void {
  const last = steps.at(-1) ?? "root"
  let found: unknown = holder
  for (const [index, step] of steps.slice(0, -1).entries()) {
    if (value === null && child(found, step) === undefined) return
    const next = child(found, step) ?? (typeof steps[index + 1] === "number" ? [] : {})
    assign(found, step, next)
    found = next
  }
  if (value !== null) assign(found, last, value)
  else if (Array.isArray(found)) found.splice(Number(last), 1)
  else if (isFields(found)) Reflect.deleteProperty(found, String(last))
}

function child(value: unknown, step: Step): unknown {
  if (Array.isArray(value)) return value[Number(step)]
  return isFields(value) ? value[String(step)] : undefined
}

function assign(holder: unknown, step: Step, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(step)] = value
  else if (isFields(holder)) Object.assign(holder, { [step]: value })
  else throw new Error(`${String(step)}: there is nothing that could hold it`)
}
