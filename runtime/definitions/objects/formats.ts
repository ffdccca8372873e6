/**
 * The formats that apiextensions-apiserver 1.30 checks (pkg/apiserver/validation/formats.go), with the rules of
 * kube-openapi's pkg/validation/strfmt. Other formats are only documentation.
 */
import { isUrl } from "../../../cel/libraries/url.ts"
import { DurationError, parseDuration } from "../../base/duration.ts"
import { parseIp } from "../../base/ip-address.ts"
import { isEmail } from "./email.ts"

type Test = (text: string) => boolean

/** Format names without dashes: `date-time` is `datetime`. */
const formats: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["bsonobjectid", (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ["uri", isUrl],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && parseIp(text) !== undefined],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid3", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid4", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid5", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text)],
  ["hexcolor", (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["rgbcolor", isRgbColor],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
])

/** The test of a format; undefined if it is not checked. Called once per schema. */
export function formatTest(name: string): Test | undefined {
  return formats.get(name.replaceAll("-", ""))
}

const hostCharacter = /^[a-zA-Z0-9\p{S}\p{L}]$/u
const topLevelCharacter = /^[a-zA-Z\p{L}]$/u

/** One label, or labels and a top-level domain of letters. Symbols count as letters except in the last label. */
function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255) return false
  const labels = text.split(".")
  if (labels.some((label) => Buffer.byteLength(label) > 63)) return false
  const [first = ""] = labels
  if (labels.length === 1) return isSingleLabel([...first])
  const last = [...(labels.pop() ?? "")]
  return last.length >= 2 && last.every((one) => topLevelCharacter.test(one)) && labels.every((label) => isLabel([...label]))
}

/** At most one dash, after the first character. */
function isSingleLabel([first = "", second, ...rest]: readonly string[]): boolean {
  if (!hostCharacter.test(first)) return false
  if (second === undefined) return true
  return (second === "-" || hostCharacter.test(second)) && rest.every((one) => hostCharacter.test(one))
}

function isLabel(characters: readonly string[]): boolean {
  const isEnd = (one: string | undefined): boolean => one !== undefined && hostCharacter.test(one)
  return isEnd(characters[0]) && isEnd(characters.at(-1)) && characters.every((one) => one === "-" || hostCharacter.test(one))
}

/** Unlike `ipv4`, refuses leading zeros in the numbers of an embedded IPv4 address. */
function isIpv6(text: string): boolean {
  return text.includes(":") && parseIp(text) !== undefined && !/[:.]0[0-9]{1,2}(?:\.|$)/.test(text.includes(".") ? text : "")
}

function isCidr(text: string): boolean {
  const slash = text.indexOf("/")
  const bits = text.slice(slash + 1)
  if (slash < 0 || !/^[0-9]{1,9}$/.test(bits)) return false
  const address = text.slice(0, slash)
  return parseIp(address) !== undefined && Number(bits) <= (address.includes(":") ? 128 : 32)
}

/** 6, 8 or 20 bytes, separated by `:` or `-`, in pairs by `.`, or not at all. */
function isMac(text: string): boolean {
  if (text.length > 59) return false
  const hex = text.replace(/[:.-]/g, "")
  if (![12, 16, 40].includes(hex.length) || !/^[0-9a-fA-F]*$/.test(hex)) return false
  return hex === text || [":", "-"].some((mark) => isGrouped(text, mark, 2)) || isGrouped(text, ".", 4)
}

function isGrouped(text: string, mark: string, digits: number): boolean {
  return text.split(mark).every((group) => group.length === digits)
}

function isIsbn10(text: string): boolean {
  const digits = withoutSpace(text)
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 10; index++) sum += (index + 1) * (digits.charAt(index) === "X" ? 10 : Number(digits.charAt(index)))
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = withoutSpace(text)
  if (!/^[0-9]{13}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 12; index++) sum += (index % 2 === 0 ? 1 : 3) * Number(digits.charAt(index))
  return Number(digits.charAt(12)) === (10 - (sum % 10)) % 10
}

function withoutSpace(text: string): string {
  return text.replace(/[\t\n\f\r -]/g, "")
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/

/** Ignores characters between the digits; the last digit is Luhn's check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, "")
  if (!cardNumber.test(digits)) return false
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits.charAt(digits.length - 1 - index))
    const doubled = index % 2 === 0 ? digit : 2 * digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function isRgbColor(text: string): boolean {
  if (!text.startsWith("rgb(") || !text.endsWith(")")) return false
  const parts = text.slice(4, -1).split(",")
  return parts.length === 3 && parts.every((part) => /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/.test(trimmed(part)))
}

/** Without ASCII white space at both ends. */
function trimmed(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isSpace(text.charAt(from))) from++
  while (to > from && isSpace(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\f" || character === "\r"
}

/** The standard alphabet with padding; the empty text is invalid. */
function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]{2}[A-Za-z0-9+/]*={0,2}$/.test(text)
}

function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? []
  const monthNumber = Number(month)
  if (monthNumber < 1 || monthNumber > 12) return false
  return Number(day) >= 1 && Number(day) <= daysOf(Number(year), monthNumber)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** A time zone is required; a fraction may follow any character. */
function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t", 3)
  if (time === undefined || !isDate(date)) return false
  const [, hour = "", minute = "", second = ""] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time) ?? []
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59"
}

/** Names of units; the last of each list may be the beginning of a longer word, such as `minutes`. */
const unitNames: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
]
const digitsMax = 19

/** A Go duration, or a text with numbers and units: `3 days`, `1w 2 hours`. */
function isDuration(text: string): boolean {
  try {
    parseDuration(text)
    return true
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
  }
  let found = false
  for (let at = 0; at < text.length; ) {
    const digits = endOf(text, at, isDigit)
    if (digits === at) {
      at++
      continue
    }
    const unit = endOf(text, digits, isSpace)
    const end = endOf(text, unit, isUnitCharacter)
    if (end > unit) {
      if (!isIntText(text.slice(at, digits))) return false
      found ||= isUnit(text.slice(unit, end).toLowerCase())
    }
    at = Math.max(end, digits)
  }
  return found
}

function endOf(text: string, from: number, fits: (character: string) => boolean): number {
  let at = from
  while (at < text.length && fits(text.charAt(at))) at++
  return at
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9"
}

function isUnitCharacter(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z") || character === "µ"
}

/** Whether the digits fit int64. */
function isIntText(digits: string): boolean {
  let from = 0
  while (digits.charAt(from) === "0") from++
  const significant = digits.slice(from)
  return significant.length < digitsMax || (significant.length === digitsMax && significant <= "9223372036854775807")
}

function isUnit(unit: string): boolean {
  return unitNames.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))
}
