/** Memoizes functions of texts that clients send again and again: header fields, queries. */
import { rememberedCharactersMax, rememberedTextsMax } from "../limits.ts"
import { ownText } from "./own-text.ts"

/**
 * Memoizes a pure function of a text; called once per function. Results are shared, so callers must not change them.
 * Memory is bounded: long texts are not cached, keys do not retain the string they were cut from, and the cache is
 * cleared when it is full. Errors are not cached.
 */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    if (text.length > rememberedCharactersMax) return make(text)
    const known = results.get(text)
    if (known !== undefined) return known
    const own = ownText(text)
    const result = make(own)
    if (results.size >= rememberedTextsMax) results.clear()
    results.set(own, result)
    return result
  }
}
