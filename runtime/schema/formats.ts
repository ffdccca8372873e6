/**
 * The named formats of the schema dialect (`format: dns-label`). Generated validators and the validators of run-time
 * definitions call `checkFormat`; codegen refuses a schema whose format is not in `formatNames`. Rules come from the
 * catalog (validation.yaml, common/formats), messages from the reference server.
 */
import { cronFault } from "./cron.ts"
import { parseCidr, parseIp, specialIpFaults } from "../base/ip-address.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import {
  dns1035LabelFaults,
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelValueFaults,
  longerThan,
  pathSegmentFaults,
  patternFault,
  qualifiedNameFaults,
  tooLongFault,
  wholePattern,
  wildcardSubdomainFaults,
} from "./names.ts"
import { domainPrefixedPathFaults, type PartFault, signerNameFaults } from "./prefixed-names.ts"
import { parseQuantity, QuantityError, quantitySign } from "../base/quantity.ts"

/** Returns every error of a value; empty when it is valid. */
type Check = (value: JsonValue) => string[]

/** A format, and its keywords in JSON Schema. */
interface Format {
  readonly check: Check
  /** Keywords in the form of OpenAPI 3.0, beside `format` with the name here unless they state a range or a name. */
  readonly schema?: JsonObject
}

const negativeFault = "must be greater than or equal to 0"
const int32Max = 2 ** 31 - 1

const formats = new Map<string, Format>([
  ["dns-label", text(dnsLabelFaults, { maxLength: 63 })],
  ["dns-subdomain", text(dnsSubdomainFaults, { maxLength: 253 })],
  ["optional-dns-label", text((value) => (value === "" ? [] : dnsLabelFaults(value)), { maxLength: 63 })],
  ["optional-dns-subdomain", text((value) => (value === "" ? [] : dnsSubdomainFaults(value)), { maxLength: 253 })],
  ["dns1035-label", text(dns1035LabelFaults, { maxLength: 63 })],
  ["host-or-wildcard", text((value) => (value.includes("*") ? wildcardSubdomainFaults(value) : dnsSubdomainFaults(value)))],
  ["wildcard-subdomain", text(wildcardSubdomainFaults)],
  ["qualified-name", text(qualifiedNameFaults)],
  ["label-key", text(qualifiedNameFaults)],
  ["label-value", text(labelValueFaults, { maxLength: 63 })],
  ["annotation-key", text((value) => qualifiedNameFaults(value.toLowerCase()))],
  ["port-number", integer(1, 65535)],
  ["port-name", text(portNameFaults, { maxLength: 15 })],
  ["port-number-or-name", { check: (value) => (typeof value === "string" ? portNameFaults(value) : integer(1, 65535).check(value)) }],
  ["percent", text(percentFaults)],
  ["int-or-percent", { check: intOrPercentFaults }],
  [
    "http-header-name",
    textPattern("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", ["X-Header-Name"]),
  ],
  ["env-var-name", text(envVarNameFaults)],
  [
    "c-identifier",
    textPattern(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*",
      ["my_name", "MY_NAME", "MyName"],
    ),
  ],
  ["data-key", text(dataKeyFaults)],
  ["path-segment", text((value) => pathSegmentFaults(value))],
  ["user-id", integer(0, int32Max)],
  ["group-id", integer(0, int32Max)],
  ["ip", text(ipFaults)],
  ["ipv4", text((value) => (parseIp(value)?.family === 4 ? [] : ["must be a valid IPv4 address"]))],
  ["ipv6", text((value) => (parseIp(value)?.family === 6 ? [] : ["must be a valid IPv6 address"]))],
  ["non-special-ip", text(nonSpecialIpFaults)],
  [
    "endpoint-ip",
    text((value) => (parseIp(value) === undefined ? [...ipFaults(value), "must be a valid IP address"] : nonSpecialIpFaults(value))),
  ],
  ["cidr", text((value) => (parseCidr(value) === undefined ? ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"] : []))],
  ["fqdn", text(fqdnFaults)],
  ["fully-qualified-name", text(fullyQualifiedNameFaults)],
  ["domain-prefixed-path", text((value) => details(domainPrefixedPathFaults(value)))],
  ["signer-name", text((value) => details(signerNameFaults(value)))],
  ["sysctl-name", text(sysctlNameFaults)],
  ["csi-driver-name", text(csiDriverNameFaults)],
  ["file-mode", { check: fileModeFaults, schema: { minimum: 0, maximum: 0o777 } }],
  ["quantity", { check: (value) => quantityFaults(value, false) }],
  ["quantity-non-negative", { check: (value) => quantityFaults(value, true) }],
  ["quantity-positive", { check: positiveFaults }],
  ["cron5", text((value) => optional(cronFault(value)))],
  ["iana-time-zone", text(timeZoneFaults)],
  ["relative-path", text(relativePathFaults)],
  ["local-data-path", text((value) => [...relativePathFaults(value), ...(/^\.\.(?!\/)/.test(value) ? ["must not start with '..'"] : [])])],
  ["condition-reason", text(conditionReasonFaults)],
  [
    "uuid",
    text((value) =>
      /^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/.test(value)
        ? []
        : ["must be a UUID (e.g. '123e4567-e89b-12d3-a456-426614174000')"],
    ),
  ],
  ["uri", text((value) => (URL.canParse(value) ? [] : ["must be an absolute URI (e.g. 'https://example.com/path')"]))],
  // JSON Schema has a name of its own for these texts.
  ["base64", text(base64Faults, { format: "byte" })],
])

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

function base64Faults(value: string): string[] {
  return base64.test(value) && value.length % 4 === 0 ? [] : ["must be base64 with padding (e.g. 'aGVsbG8=')"]
}

/** Every name that a schema may give as `format`, sorted. Codegen checks schemas against it. */
export const formatNames: readonly string[] = [...formats.keys()].sort()

/**
 * Returns every error of `value` under the format `name`; empty when it is valid. Called by validators that report one
 * cause per error, as the reference does. Throws for a name that is not in `formatNames`, which is a bug of the caller.
 */
export function formatFaults(name: string, value: JsonValue): readonly string[] {
  return formatCheck(name)(value)
}

/** Returns the check of the format `name`. Called once per limit. Throws as `formatFaults` does. */
export function formatCheck(name: string): (value: JsonValue) => readonly string[] {
  return formatOf(name).check
}

/** Returns the keywords of OpenAPI 3.0 for the format `name`. Throws as `formatFaults` does. */
export function formatSchema(name: string): JsonObject {
  const { schema = {} } = formatOf(name)
  return "minimum" in schema ? schema : { format: name, ...schema }
}

function formatOf(name: string): Format {
  const format = formats.get(name)
  if (format === undefined) throw new Error(`unknown format ${JSON.stringify(name)}`)
  return format
}

/**
 * Returns the first error of `value` under the format `name`; undefined when it is valid. Throws as `formatFaults`
 * does.
 */
export function checkFormat(name: string, value: JsonValue): string | undefined {
  return formatFaults(name, value)[0]
}

function text(check: (value: string) => string[], schema: JsonObject = {}): Format {
  return { check: (value) => (typeof value === "string" ? check(value) : ["must be text"]), schema }
}

/** JSON Schema says the range; `format` says the width of the number. */
function integer(minimum: number, maximum: number): Format {
  const fault = `must be between ${minimum} and ${maximum}, inclusive`
  const check = (value: JsonValue): string[] => (isInteger(value) && value >= minimum && value <= maximum ? [] : [fault])
  return { check, schema: { minimum, maximum } }
}

function textPattern(help: string, source: string, examples: readonly string[]): Format {
  const expression = wholePattern(source)
  return text((value) => (expression.test(value) ? [] : [patternFault(help, source, examples)]))
}

function isInteger(value: JsonValue): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))
}

function optional(fault: string | undefined): string[] {
  return fault === undefined ? [] : [fault]
}

/** RFC 6335 service name, lower case only. */
function portNameFaults(value: string): string[] {
  const faults = longerThan(value, 15) ? [tooLongFault(15)] : []
  if (!/^[-a-z0-9]+$/.test(value)) faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  if (!/[a-z]/.test(value)) faults.push("must contain at least one letter (a-z)")
  if (value.includes("--")) faults.push("must not contain consecutive hyphens")
  if (value.startsWith("-") || value.endsWith("-")) faults.push("must not begin or end with a hyphen")
  return faults
}

function percentFaults(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return []
  return [patternFault("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", ["1%", "93%"])]
}

function intOrPercentFaults(value: JsonValue): string[] {
  if (typeof value === "string") return percentFaults(value)
  if (!isInteger(value)) return ["must be an integer or percentage (e.g '5%')"]
  return value >= 0 ? [] : [negativeFault]
}

/** Refuses names that leave their directory when they become file names. */
function parentFaults(value: string): string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`]
  return value.startsWith("..") ? ["must not start with '..'"] : []
}

function envVarNameFaults(value: string): string[] {
  const source = "[-._a-zA-Z][-._a-zA-Z0-9]*"
  const help =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit"
  const faults = wholePattern(source).test(value) ? [] : [patternFault(help, source, ["my.env-name", "MY_ENV.NAME", "MyEnvName1"])]
  return [...faults, ...parentFaults(value)]
}

/** Matches almost all keys; objects may have tens of thousands. */
const plainDataKey = /^[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}$/

/** Keys of ConfigMap and Secret. */
function dataKeyFaults(value: string): string[] {
  if (plainDataKey.test(value)) return []
  const source = "[-._a-zA-Z0-9]+"
  const help = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
  const faults = longerThan(value, 253) ? [tooLongFault(253)] : []
  if (!wholePattern(source).test(value)) faults.push(patternFault(help, source, ["key.name", "KEY_NAME", "key-name"]))
  return [...faults, ...parentFaults(value)]
}

function ipFaults(value: string): string[] {
  return parseIp(value) === undefined ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : []
}

function nonSpecialIpFaults(value: string): string[] {
  const address = parseIp(value)
  return address === undefined ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : specialIpFaults(address)
}

function fqdnFaults(value: string): string[] {
  const name = value.endsWith(".") ? value.slice(0, -1) : value
  const faults = dnsSubdomainFaults(name)
  if (faults.length > 0) return faults
  const labels = name.split(".")
  return labels.length < 2 ? ["should be a domain with at least two segments separated by dots"] : labels.flatMap(dnsLabelFaults)
}

function fullyQualifiedNameFaults(value: string): string[] {
  const faults = dnsSubdomainFaults(value)
  if (faults.length > 0) return faults
  return value.split(".").length < 3 ? ["should be a domain with at least three segments separated by dots"] : []
}

/** The texts of faults that name a part of the value. */
function details(faults: readonly PartFault[]): string[] {
  return faults.map(({ detail }) => detail)
}

function sysctlNameFaults(value: string): string[] {
  const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
  const source = `(${segment}[\\./])*${segment}`
  return !longerThan(value, 253) && wholePattern(source).test(value) ? [] : [`must have at most 253 characters and match regex ^${source}$`]
}

function csiDriverNameFaults(value: string): string[] {
  return dnsSubdomainFaults(value.toLowerCase())
}

function fileModeFaults(value: JsonValue): string[] {
  return isInteger(value) && value >= 0 && value <= 0o777 ? [] : ["must be a number between 0 and 0777 (octal), both inclusive"]
}

function quantityFaults(value: JsonValue, nonNegative: boolean): string[] {
  try {
    return quantitySign(parseQuantity(value)) < 0 && nonNegative ? [negativeFault] : []
  } catch (error) {
    if (error instanceof QuantityError) return [error.message]
    throw error
  }
}

function positiveFaults(value: JsonValue): string[] {
  const faults = quantityFaults(value, false)
  const sign = faults.length > 0 ? 1 : quantitySign(parseQuantity(value))
  if (sign > 0) return faults
  return sign < 0 ? ["must be a valid resource quantity", "must be greater than zero"] : ["must be greater than zero"]
}

/** A zone that this runtime can load. "" and Local mean the server's own zone and are refused. */
function timeZoneFaults(value: string): string[] {
  if (value === "") return ["timeZone must be nil or non-empty string"]
  if (value.toLowerCase() === "local") return ["timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"]
  const segments = value.split("/")
  const safe = segments.every(
    (segment) => /^[A-Za-z0-9._+-]{1,14}$/.test(segment) && segment !== "." && segment !== ".." && !segment.startsWith("-"),
  )
  if (!safe || /^[+-]/.test(value)) return [`unknown time zone ${value}`]
  try {
    const { timeZone } = Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions()
    return isWrittenSo(value, timeZone) ? [] : [`unknown time zone ${value}`]
  } catch {
    return [`unknown time zone ${value}`]
  }
}

function relativePathFaults(value: string): string[] {
  const faults = value.startsWith("/") ? ["must be a relative path"] : []
  return value.split("/").includes("..") ? [...faults, "must not contain '..'"] : faults
}

function conditionReasonFaults(value: string): string[] {
  const source = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
  const help =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
  const faults = longerThan(value, 1024) ? [tooLongFault(1024)] : []
  if (!wholePattern(source).test(value))
    faults.push(patternFault(help, source, ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"]))
  return faults
}

/**
 * The reference reads zones from files, whose names are case-sensitive; Intl ignores case. Intl does not show the
 * spelling of other names of a zone, but each part of these begins with a capital letter.
 */
function isWrittenSo(name: string, canonical: string): boolean {
  if (name.toLowerCase() === canonical.toLowerCase()) return name === canonical
  return name.split("/").every((part) => /^[A-Z]/.test(part))
}
