/** The place of a difference, which distinguishes two of one class: the fields of causes, or the words of a text. */
import type { Difference } from "./compare.ts"
import { fieldOf } from "./values.ts"

/** Limits of a place: characters, and fields that it names. */
const placeMax = 100
const fieldsMax = 3

/** Equal on each run for differences with one reason. Empty where the class already has the place. */
export function placeOf({ class: name, part, real, ours }: Difference): string {
  if (part !== undefined) return part
  if (/^(?:object|table|split|events|names|list)/.test(name)) return ""
  const shown = hasPlace(real) ? real : ours
  if (name.startsWith("warnings")) return wordsOf(firstOwn(real, ours) ?? firstOwn(ours, real))
  const fields = (Array.isArray(shown) ? shown : [shown])
    .map((cause: unknown) => fieldOf(cause, "field"))
    .filter((field) => typeof field === "string")
  if (fields.length > 0) return [...new Set(fields.map(generalField))].sort().slice(0, fieldsMax).join(" ").slice(0, placeMax)
  return name.startsWith("code") || name === "message" ? wordsOf(shown) : ""
}

const hasPlace = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) ? value.length > 0 : fieldOf(value, "field") !== undefined)

/** `spec.containers[0].env[a]` is `spec.containers[].env[]`. */
export const generalField = (field: string): string => field.replace(/\[[^\]]*\]/g, "[]")

function firstOwn(values: unknown, others: unknown): unknown {
  return Array.isArray(values) ? values.find((value) => !Array.isArray(others) || !others.includes(value)) : undefined
}

/** A text without names, values and numbers. */
function wordsOf(value: unknown): string {
  if (typeof value !== "string") return ""
  const text = value.replace(/"[^"]*"/g, '""').replace(/[\d\t\n]+/g, "0")
  return generalField(text.replace(/^\S+ "" is invalid: /, "")).slice(0, placeMax)
}
