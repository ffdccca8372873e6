/** What was made of texts that clients send again and again: header fields, queries. */

const entriesMax = 256
const charactersMax = 256

/**
 * Called once for a pure function of a text. The answer does the same, and keeps results, which are shared: nobody changes them. Bounded: long
 * texts are never kept, and everything is let go of when somebody sends new ones all the time. What throws is not kept.
 */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined || text.length > charactersMax) return known ?? make(text)
    const result = make(text)
    if (results.size >= entriesMax) results.clear()
    results.set(text, result)
    return result
  }
}
