/** Values of `--tls-sni-cert-key`. */
import { parseIp } from "../base/ip-address.ts"
import type { ValueType } from "./value-types.ts"

/** A certificate for clients that ask for some names. */
export interface NamedPair {
  /** Paths of PEM files. */
  readonly certificate: string
  readonly key: string
  /** Host names, `*.` with a domain, and addresses; empty for the names in the certificate. */
  readonly names: readonly string[]
}

/**
 * `foo.crt,foo.key` or `foo.crt,foo.key:*.foo.com,foo.com`, with semicolons between several pairs. The option may be
 * repeated; the pairs are appended in order.
 */
export const namedPairs: ValueType<readonly NamedPair[]> = {
  word: "cert,key[:patterns]",
  expected:
    "the path of a certificate, a comma and that of its key, then perhaps a colon and host names, such as foo.crt,foo.key:*.foo.com,foo.com",
  expectedValue: 'a list of objects such as { certificate: "foo.crt", key: "foo.key", names: ["*.foo.com"] }',
  parse(value) {
    const pairs = value.trim() === "" ? [] : value.split(";").map(parsePair)
    return pairs.every((pair) => pair !== undefined) ? pairs : undefined
  },
  format: (value) =>
    value
      .map(({ certificate, key, names }) => [`${certificate},${key}`, ...(names.length > 0 ? [names.join(",")] : [])].join(":"))
      .join(";"),
  combine: (earlier, next) => [...earlier, ...next],
}

function parsePair(value: string): NamedPair | undefined {
  const colon = value.indexOf(":")
  const files = split(colon < 0 ? value : value.slice(0, colon))
  const names = colon < 0 ? [] : split(value.slice(colon + 1))
  const [certificate = "", key = ""] = files
  if (files.length !== 2 || certificate === "" || key === "" || !names.every(isPattern)) return undefined
  return { certificate, key, names }
}

function split(list: string): string[] {
  return list.split(",").map((part) => part.trim())
}

/** A wildcard replaces only the first label of a name. */
function isPattern(name: string): boolean {
  return name === "*" || hostName.test(name) || parseIp(name) !== undefined
}

const hostName = /^(?=.{1,253}$)(\*\.)?[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*$/i
