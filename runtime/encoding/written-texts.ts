/**
 * The JSON of settled values that were written lately. The objects of one template have one value each, decoded apart:
 * equal values become one here, and a stored object is read without the text of its own.
 */
import type { JsonObject } from "../base/json.ts"
import { type Place, startsWith } from "./json/placeholders.ts"
import { settledJson } from "./settled.ts"

/** Bytes of all texts that are kept. The decoded value and its other forms take several times as much. */
const keptBytesMax = 512 * 1024
/** A shorter text is not worth an entry. */
export const textBytesMin = 512
/** A longer text is not kept. */
const textBytesMax = keptBytesMax / 8
/** Texts with one beginning: each of them is compared. */
const sameBeginningMax = 8
/** Bytes of the beginning of a text. Every kept text is longer. */
const beginningBytes = 64

/** A known value, and where its text stands in another one. */
export interface FoundValue extends Place {
  readonly value: JsonObject
}

/** A settled value and a text of it. */
export interface KnownText {
  readonly bytes: Buffer
  readonly value: JsonObject
}

export class WrittenTexts {
  /** Texts with one beginning, the latest first. The beginning that was met longest ago comes first. */
  private readonly byBeginning = new Map<string, KnownText[]>()
  private kept = 0

  /** The known value whose JSON stands at `from`. */
  find(text: Buffer, from: number): FoundValue | undefined {
    const found = this.latest(beginningOf(text, from), (bytes) => startsWith(text, from, bytes))
    return found === undefined ? undefined : { value: found.value, from, to: from + found.bytes.length }
  }

  /** The known value that equals a settled one. If there is none, this value itself is known from now on. */
  share(value: JsonObject): JsonObject {
    const bytes = settledJson(value)?.bytes
    if (bytes === undefined || bytes.length < textBytesMin || bytes.length > textBytesMax) return value
    const beginning = beginningOf(bytes, 0)
    const found = this.latest(beginning, (known) => known === bytes || known.equals(bytes))
    if (found !== undefined) return found.value
    this.keep(beginning, { bytes, value })
    return value
  }

  /** The first text of a beginning for which `matches` holds becomes the latest. */
  private latest(beginning: string, matches: (bytes: Buffer) => boolean): KnownText | undefined {
    const texts = this.byBeginning.get(beginning)
    const index = texts?.findIndex(({ bytes }) => matches(bytes)) ?? -1
    const found = texts?.[index]
    if (texts === undefined || found === undefined) return undefined
    if (index > 0) {
      texts.splice(index, 1)
      texts.unshift(found)
    }
    this.byBeginning.delete(beginning)
    this.byBeginning.set(beginning, texts)
    return found
  }

  private keep(beginning: string, text: KnownText): void {
    const texts = this.byBeginning.get(beginning) ?? []
    texts.unshift(text)
    this.kept += text.bytes.length
    if (texts.length > sameBeginningMax) this.kept -= texts.pop()?.bytes.length ?? 0
    this.byBeginning.delete(beginning)
    this.byBeginning.set(beginning, texts)
    for (const [oldest, forgotten] of this.byBeginning) {
      if (this.kept <= keptBytesMax) return
      this.byBeginning.delete(oldest)
      for (const { bytes } of forgotten) this.kept -= bytes.length
    }
  }
}

/** The key by which texts are looked up. */
export function beginningOf(text: Buffer, from: number): string {
  return text.toString("latin1", from, from + beginningBytes)
}
