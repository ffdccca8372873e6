import type { Incoming } from "./exchange.ts"

/**
 * The values of a header field as the client has sent them, one per line. `headers` has them joined: a value with a
 * comma in it looks like two there. `name` is in lower case.
 */
export function sentValues(incoming: Incoming, name: string): readonly string[] {
  const { headers, rawHeaders, repeatedFields } = incoming
  if (rawHeaders !== undefined) return valuesIn(rawHeaders, name)
  const repeated = repeatedFields?.get(name)
  if (repeated !== undefined) return repeated
  const value = headers[name]
  return value === undefined ? [] : [value].flat()
}

function valuesIn(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "")
  }
  return values
}

/** The values of the fields that occur more than once in a list of names and values in turn; names in lower case. */
export function repeatedIn(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Set<string>()
  const repeated = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ""
    if (names.has(name)) repeated.add(name)
    names.add(name)
  }
  return new Map([...repeated].map((name) => [name, valuesIn(rawHeaders, name)]))
}
