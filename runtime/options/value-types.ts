/**
 * The types of options: how a text is parsed, and the error text when it is invalid. The syntax is as for the reference
 * server's flags: booleans, comma-separated lists that may also be repeated, `key=value` maps, durations with units.
 */
import { isDeepStrictEqual } from "node:util"
import { parseDuration } from "../base/duration.ts"
import { parseCidr, parseIp } from "../base/ip-address.ts"

/** One type of option value. */
export interface ValueType<T> {
  /** Shown in help: `--request-timeout duration`. Empty for booleans, which take no value. */
  readonly word: string
  /** Describes valid values, for the error about an invalid one. */
  readonly expected: string
  /** The same for the value that a program passes to `startServer`. Absent: as `expected`. */
  readonly expectedValue?: string
  /** Returns undefined when the text is invalid. */
  parse(text: string): T | undefined
  /** Formats a value for help and documents; the text parses back to the value. */
  format(value: T): string
  /** For options that may be repeated: merges `next` into the value so far. Without it the later value wins. */
  combine?(earlier: T, next: T): T
  /** For types where a given value replaces only part of the default. */
  over?(defaults: T, given: T): T
  /** The words that a value consists of, for "did you mean". */
  readonly words?: readonly string[]
  /** Whether a program may pass this value. Absent: if formatting and parsing it returns the same value. */
  accepts?(value: unknown): boolean
}

/** Whether a program may pass a value for an option of this type. */
export function accepts<T>(type: ValueType<T>, value: unknown): boolean {
  if (type.accepts !== undefined) return type.accepts(value)
  try {
    // A value of another type formats to another text, or to none.
    const text: unknown = type.format(value as T)
    return typeof text === "string" && isDeepStrictEqual(type.parse(text), value)
  } catch {
    return false
  }
}

const booleans: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
}

/** `--x`, `--x=true`, `--x=false`. */
export const boolean: ValueType<boolean> = {
  word: "",
  expected: "true or false",
  parse: (text) => booleans[text],
  format: String,
}

/** Any text, unchanged. */
export function text(word: string): ValueType<string> {
  return { word, expected: `a ${word}`, parse: (value) => value, format: (value) => value }
}

/** Decimal digits within inclusive bounds. */
export function wholeNumber(bounds: { min: number; max: number }): ValueType<number> {
  return {
    word: "int",
    expected: `a whole number from ${bounds.min} to ${bounds.max}`,
    parse(value) {
      const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : -1
      return number >= bounds.min && number <= bounds.max ? number : undefined
    },
    format: String,
  }
}

/** A number with or without a fraction, zero or more. */
export const decimal: ValueType<number> = {
  word: "float",
  expected: "a number such as 10 or 0.5",
  parse: (value) => (/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(value) ? Number(value) : undefined),
  format: String,
}

/** A number from 0 to `max`. */
export function fraction({ max }: { max: number }): ValueType<number> {
  return {
    word: "float",
    expected: `a number from 0 to ${max}`,
    parse(value) {
      const number = decimal.parse(value)
      return number !== undefined && number <= max ? number : undefined
    },
    format: String,
  }
}

/** `1m30s`, as milliseconds. Zero is allowed where the option defines its meaning. */
export function duration(bounds: { minMs: number }): ValueType<number> {
  return {
    word: "duration",
    expected:
      bounds.minMs > 0
        ? `a duration of ${formatMs(bounds.minMs)} or more, such as 90s, 5m0s or 1h30m`
        : "a duration such as 0s, 90s, 5m0s or 1h30m",
    expectedValue: `milliseconds, ${bounds.minMs} or more`,
    parse(value) {
      const milliseconds = durationMs(value)
      return milliseconds !== undefined && milliseconds >= bounds.minMs ? milliseconds : undefined
    },
    format: formatMs,
  }
}

function durationMs(value: string): number | undefined {
  try {
    return Number(parseDuration(value)) / 1e6
  } catch {
    return undefined
  }
}

function formatMs(milliseconds: number): string {
  const seconds = milliseconds / 1000
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (hours > 0) return `${hours}h${minutes}m${rest}s`
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`
}

/** One of a closed set of words. */
export function oneOf<const T extends string>(...words: readonly T[]): ValueType<T> {
  return {
    word: "string",
    expected: `one of ${words.join(", ")}`,
    words,
    parse: (value) => words.find((word) => word === value),
    format: (value) => value,
  }
}

/** The name of a header field, or the beginning of one (RFC 9110 section 5.1). */
export const headerName: ValueType<string> = {
  word: "header",
  expected: "the name of a header field, such as X-Remote-User",
  parse: (value) => (/^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/.test(value) ? value : undefined),
  format: (value) => value,
}

/** An https URL without user, query and fragment, or "" where the option defines its meaning. */
export const issuerUrl: ValueType<string> = {
  word: "url",
  expected: "an https URL without user, query and fragment, such as https://accounts.example.com",
  parse(value) {
    if (value === "") return ""
    const url = URL.canParse(value) ? new URL(value) : undefined
    return url?.protocol === "https:" && url.username === "" && url.password === "" && !/[?#]/.test(value) ? value : undefined
  },
  format: (value) => value,
}

/** `claim=value`. May be repeated; the later value of a claim wins. A value may have commas. */
export const claims: ValueType<Readonly<Record<string, string>>> = {
  word: "claim=value",
  expected: "claim=value",
  expectedValue: "an object with texts by claim",
  accepts: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((one) => typeof one === "string"),
  parse(value) {
    if (value === "") return {}
    const [, claim = "", wanted = ""] = /^([^=]+)=(.*)$/s.exec(value) ?? []
    return claim === "" ? undefined : { [claim]: wanted }
  },
  format: (value) =>
    Object.entries(value)
      .map(([claim, wanted]) => `${claim}=${wanted}`)
      .join(","),
  combine: (earlier, next) => ({ ...earlier, ...next }),
}

/** One directive of the `Strict-Transport-Security` header (RFC 6797 section 6.1). */
export const transportDirective: ValueType<string> = {
  word: "string",
  expected: "max-age=SECONDS, includeSubDomains or preload",
  words: ["max-age=31536000", "includeSubDomains", "preload"],
  parse: (value) => (/^(max-age=[0-9]+|includeSubDomains|preload)$/.test(value) ? value : undefined),
  format: (value) => value,
}

/**
 * A regular expression for the `Origin` of pages. It must anchor both ends of the host, as the reference requires: a
 * pattern that matches in the middle also allows `https://example.com.evil.net`. `(?i)` at its start ignores case.
 */
export const originPattern: ValueType<RegExp> = {
  word: "regexp",
  expected: "a regular expression with ^ or // before the host and $ or : after it, such as ^https://[a-z]+\\.example\\.com$",
  parse(value) {
    const [, ignoresCase = "", source = ""] = /^(\(\?i\))?(.*)$/s.exec(value) ?? []
    if (!/\^|\/\//.test(source) || !/[$:]/.test(source)) return undefined
    try {
      return new RegExp(source, ignoresCase === "" ? "" : "i")
    } catch {
      return undefined
    }
  },
  format: (value) => (value.ignoreCase ? `(?i)${value.source}` : value.source),
}

/** Comma-separated; the option may be repeated and the values are appended in order. */
export function listOf<T>(item: ValueType<T>, word = "strings"): ValueType<readonly T[]> {
  return {
    word,
    expected: `${item.expected}; several with commas between them`,
    expectedValue: `a list, and in it ${item.expectedValue ?? item.expected}`,
    accepts: (value) => Array.isArray(value) && value.every((one) => accepts(item, one)),
    ...(item.words !== undefined && { words: item.words }),
    parse(value) {
      const items = value === "" ? [] : value.split(",").map((part) => item.parse(part.trim()))
      return items.every((one) => one !== undefined) ? items : undefined
    },
    format: (value) => value.map(item.format).join(","),
    combine: (earlier, next) => [...earlier, ...next],
  }
}

/** Formats and combines values by name: the later value of a name wins. */
const byName = {
  format: (value: Readonly<Partial<Record<string, boolean>>>): string =>
    Object.entries(value)
      .map(([name, state]) => `${name}=${state}`)
      .join(","),
  combine: <Value extends object>(earlier: Value, next: Value): Value => ({ ...earlier, ...next }),
}

/** `Gate=true,Other=false` over a closed set of names. May be repeated; the later value of a name wins. */
export function switches<const T extends string>(...names: readonly T[]): ValueType<Readonly<Partial<Record<T, boolean>>>> {
  return {
    word: "mapStringBool",
    expected: `name=true or name=false, with commas between several; the names are ${names.join(", ")}`,
    expectedValue: `an object with true or false by name; the names are ${names.join(", ")}`,
    words: names,
    parse(value) {
      const entries = value
        .split(",")
        .filter((part) => part.trim() !== "")
        .map((part) => {
          const [name = "", state = ""] = part.split(/=(.*)/s)
          return [names.find((known) => known === name.trim()), booleans[state.trim()]] as const
        })
      const made: Partial<Record<T, boolean>> = {}
      for (const [name, state] of entries) {
        if (name === undefined || state === undefined) return undefined
        made[name] = state
      }
      return made
    },
    ...byName,
    over: (defaults, given) => ({ ...defaults, ...given }),
  }
}

/** `apps/v1=false,api/alpha`: names of any form, which are on without a value. May be repeated; the later one wins. */
export const enablement: ValueType<Readonly<Record<string, boolean>>> = {
  word: "mapStringString",
  expected: "group/version=true or group/version=false, with commas between several",
  expectedValue: "an object with true or false by group/version",
  parse(value) {
    const made: Record<string, boolean> = {}
    for (const part of value.split(",").filter((one) => one.trim() !== "")) {
      const [name = "", state = "true"] = part.split(/=(.*)/s)
      const isOn = state.trim() === "" ? true : booleans[state.trim()]
      if (isOn === undefined || !enabledName.test(name.trim())) return undefined
      made[name.trim()] = isOn
    }
    return made
  },
  ...byName,
}

const enabledName = /^[a-z0-9][-a-z0-9./]*$/

/** An IPv4 or IPv6 address. */
export const address: ValueType<string> = {
  word: "ip",
  expected: "an IP address such as 127.0.0.1 or ::1",
  parse: (value) => (parseIp(value) === undefined ? undefined : value),
  format: (value) => value,
}

/** An address, or "" where the option defines its meaning. */
export const addressOrNone: ValueType<string> = { ...address, parse: (value) => (value === "" ? "" : address.parse(value)) }

/** `10.0.0.0/24`. */
export const cidr: ValueType<string> = {
  word: "cidr",
  expected: "a range of addresses such as 10.0.0.0/24",
  parse: (value) => (parseCidr(value) === undefined ? undefined : value),
  format: (value) => value,
}

/** Both ends are inclusive. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** `30000-32767`. */
export const portRange: ValueType<PortRange> = {
  word: "portRange",
  expected: "two ports from 1 to 65535, the smaller first, such as 30000-32767",
  expectedValue: "two ports from 1 to 65535, the smaller first, such as { first: 30000, last: 32767 }",
  parse(value) {
    const [, first = "", last = ""] = /^([0-9]{1,5})-([0-9]{1,5})$/.exec(value) ?? []
    const range = { first: Number(first), last: Number(last) }
    return range.first >= 1 && range.first <= range.last && range.last <= 65_535 ? range : undefined
  },
  format: ({ first, last }) => `${first}-${last}`,
}
