/** Parses query parameters. Errors name the parameter, the value and what is expected. */
import { badRequest } from "../../base/errors.ts"
import { queryParametersMax } from "../../base/limits.ts"
import { cut } from "../../base/quote.ts"
import { memoize } from "../../base/memoize.ts"

/**
 * Called once per request with the text after the question mark. Omits pairs with a semicolon or a broken escape, whose
 * meaning is ambiguous, as the reference does, and `dryRun` without an equals sign, which requests a real run by the
 * specification (4.9). The result is shared between requests and must not be changed. Throws 400 for too many
 * parameters.
 */
export const parseQuery = memoize(parseUncached)

function parseUncached(text: string): URLSearchParams {
  refuseTooMany(text)
  const sound = text.includes(";") || text.includes("dryRun") || brokenEscape.test(text) ? text.split("&").filter(isSound).join("&") : text
  // A second question mark is part of the name after it; URLSearchParams would drop it.
  return new URLSearchParams(sound.startsWith("?") ? `&${sound}` : sound)
}

function refuseTooMany(text: string): void {
  let count = 1
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++count > queryParametersMax) throw badRequest(`the query has more than ${queryParametersMax} parameters: send fewer`)
}

const brokenEscape = /%(?![0-9a-fA-F]{2})/

function isSound(pair: string): boolean {
  return !pair.includes(";") && pair !== "dryRun" && !brokenEscape.test(pair)
}

/**
 * True when present and neither `false` nor `0` (in any case): the reference's rule, so `?watch` and `?watch=1` are
 * both true.
 */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  return value.toLowerCase() !== "false" && value !== "0"
}

const int64Max = 2n ** 63n - 1n

/**
 * Undefined when absent. Throws 400 for anything but a 64-bit integer, including the empty text. A number beyond
 * JavaScript's safe integers is returned as the nearest safe one.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  const digits = /^([+-]?)0*([0-9]{1,19})$/.exec(value)
  const size = BigInt(digits?.[2] ?? int64Max + 2n)
  const negative = digits?.[1] === "-"
  if (size > int64Max + (negative ? 1n : 0n))
    throw badRequest(`${parseIntText(value)}: query parameter ${name} must be a whole number of 64 bits`)
  const near = Math.min(Number(size), Number.MAX_SAFE_INTEGER)
  return negative ? -near : near
}

/** Returns the first value; "" if absent. */
export function textParameter(query: URLSearchParams, name: string): string {
  return query.get(name) ?? ""
}

function parseIntText(value: string): string {
  const why = /^[+-]?[0-9]+$/.test(value) ? "value out of range" : "invalid syntax"
  return `strconv.ParseInt: parsing ${JSON.stringify(cut(value))}: ${why}`
}
