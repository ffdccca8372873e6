/** Memoizes functions of texts that clients send again and again: header fields, queries. */
import { memoizedCharactersMax, memoizedTextsMax } from "./limits.ts"
import { detachString } from "./own-text.ts"

/**
 * Memoizes a pure function of a text; called once per function. Results are shared, so callers must not change them.
 * Memory is bounded: long texts are not cached, keys do not retain the string they were cut from, and the cache is
 * cleared when it is full. Errors are not cached.
 */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    if (text.length > memoizedCharactersMax) return make(text)
    const known = results.get(text)
    if (known !== undefined) return known
    const own = detachString(text)
    const result = make(own)
    if (results.size >= memoizedTextsMax) results.clear()
    results.set(own, result)
    return result
  }
}
