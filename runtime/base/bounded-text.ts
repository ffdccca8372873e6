/**
 * Renders values that a client sent for messages. Rendering stops at the limit, so the cost does not depend on the size
 * of the value.
 */
import { shownListCharactersMax } from "./limits.ts"
import { isObject, type JsonValue } from "./json.ts"
import { quoted } from "./quote.ts"

/**
 * The compact JSON of a value, cut to its first `charactersMax` characters and "...". Integers beyond 2^53 become
 * strings. Called for values in messages.
 */
export function shortJson(value: JsonValue, charactersMax: number): string {
  const text = new ShortText(charactersMax)
  writeJson(text, value)
  return text.toString()
}

/** Renders a list of strings as the reference does, `[]string{"a", "b"}`, cut as in `shortJson`. */
export function shortTexts(texts: readonly string[], charactersMax: number): string {
  const text = new ShortText(charactersMax)
  text.write("[]string{")
  let separator = ""
  for (const item of texts) {
    if (text.full) break
    text.write(separator)
    text.write(quoted(item.slice(0, charactersMax)))
    separator = ", "
  }
  text.write("}")
  return text.toString()
}

/**
 * Joins the texts with the separator, up to `shownListCharactersMax` characters plus the last text, and then counts the
 * rest. Called for lists of names in messages.
 */
export function shortList(texts: readonly string[], separator = ", "): string {
  let list = ""
  let count = 0
  for (const text of texts) {
    if (list.length > shownListCharactersMax) break
    const part = text.length > shownListCharactersMax ? `${text.slice(0, shownListCharactersMax)}...` : text
    list += count === 0 ? part : separator + part
    count++
  }
  return count < texts.length ? `${list}${separator}and ${texts.length - count} more` : list
}

class ShortText {
  private text = ""

  constructor(private readonly charactersMax: number) {}

  get full(): boolean {
    return this.text.length > this.charactersMax
  }

  write(part: string): void {
    if (!this.full) this.text += part
  }

  toString(): string {
    return this.full ? `${this.text.slice(0, this.charactersMax)}...` : this.text
  }

  /** Only as much of a long text as exceeds the limit needs writing. */
  writeText(text: string): void {
    this.write(JSON.stringify(text.length > this.charactersMax ? text.slice(0, this.charactersMax + 1) : text))
  }
}

function writeJson(to: ShortText, value: JsonValue): void {
  if (typeof value === "string") to.writeText(value)
  else if (typeof value === "bigint") to.write(`"${value}"`)
  else if (Array.isArray(value)) writeItems(to, value)
  else if (isObject(value)) writeFields(to, value)
  else to.write(JSON.stringify(value))
}

function writeItems(to: ShortText, items: readonly JsonValue[]): void {
  to.write("[")
  let separator = ""
  for (const item of items) {
    if (to.full) return
    to.write(separator)
    writeJson(to, item)
    separator = ","
  }
  to.write("]")
}

function writeFields(to: ShortText, object: { readonly [name: string]: JsonValue | undefined }): void {
  to.write("{")
  let separator = ""
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    if (to.full) return
    to.write(separator)
    to.writeText(name)
    to.write(":")
    writeJson(to, value)
    separator = ","
  }
  to.write("}")
}
