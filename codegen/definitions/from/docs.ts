/** Docs from descriptions: a doc begins with a capital letter and ends with a full stop. */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"

/** A description as the dialect takes it. */
export interface Doc {
  readonly doc: string
  /** The sentences of the values of an enum, where the description lists them as kube-apiserver does. */
  readonly enumDocs?: JsonObject
  /** Whether words were added. */
  readonly isChanged: boolean
}

const enumTitle = "Possible enum values:\n"

/** Called for each description. `otherwise`: the doc where there is none. */
export function docOf(description: string | undefined, otherwise: string): Doc {
  const text = (description ?? "").trim()
  const title = text.lastIndexOf(enumTitle)
  const enumDocs = title < 0 ? undefined : valuesOf(text.slice(title + enumTitle.length))
  const rest = enumDocs === undefined ? text : text.slice(0, title).trim()
  const doc = sentence(rest === "" ? otherwise : rest)
  const isChanged = doc !== rest
  return { doc, ...(enumDocs !== undefined && { enumDocs }), isChanged }
}

function sentence(text: string): string {
  const begun = /^[\p{Lu}\p{N}`"'(<{[]/u.test(text) ? text : capital(text)
  return /[.!?)]$/.test(begun) ? begun : `${begun}.`
}

/** Words that cannot begin with a capital are put in backquotes: `-flag` and names such as iPhone stay as they are. */
function capital(text: string): string {
  const [first = ""] = text.split(/\s/, 1)
  if (/^\p{Ll}+[,.:;]?$/u.test(first) && /^[a-z]/.test(first)) return text.slice(0, 1).toUpperCase() + text.slice(1)
  return `\`${first}\`${text.slice(first.length)}`
}

function valuesOf(lines: string): JsonObject | undefined {
  const found: Record<string, JsonValue> = {}
  for (const line of lines.trim().split("\n")) {
    const [, written = "", doc = ""] = /^ ?- `(.*?)`: (.*)$/.exec(line.trimEnd()) ?? []
    const value = /^"(.*)"$/.exec(written)?.[1] ?? /^-?\d+(?:\.\d+)?$/.exec(written)?.[0]
    if (value === undefined || doc === "") return undefined
    found[value] = sentence(doc)
  }
  return found
}

/** The doc of a field without a description. `isTop`: it is a field of the object itself. */
export function docOfField(name: string, isTop: boolean): string {
  if (isTop && name === "spec") return "What is wanted."
  return isTop && name === "status" ? "What was found." : `The field ${name}.`
}
