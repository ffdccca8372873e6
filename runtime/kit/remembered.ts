/** What was made of texts that clients send again and again: header fields, queries. */
import { rememberedCharactersMax, rememberedTextsMax } from "../limits.ts"
import { ownText } from "./own-text.ts"

/**
 * Called once for a pure function of a text. The answer does the same, and keeps results, which are shared: nobody changes them. Bounded: long
 * texts are never kept, nor what short ones were cut from, and everything is let go of when somebody sends new ones all the time. What throws is
 * not kept.
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
