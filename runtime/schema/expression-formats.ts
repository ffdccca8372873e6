/**
 * Functions of compiled expressions (`expression.ts`) about the formats of texts. A value that is absent, or no text,
 * has none.
 */
import { parseCidr, parseIp } from "../base/ip-address.ts"
import type { JsonValue } from "../base/json.ts"
import { present, type Value } from "./expression.ts"
import { checkFormat } from "./formats.ts"
import { isMeasure, measureText } from "./measures.ts"

/** `isIP(x)`: an IPv4 or IPv6 address. */
export function isIP(value: Value): boolean {
  return typeof value === "string" && parseIp(value) !== undefined
}

/** `isIPv4(x)`: an IPv4 address, also one written as IPv4-mapped IPv6. */
export function isIPv4(value: Value): boolean {
  return typeof value === "string" && parseIp(value)?.family === 4
}

/** `isIPv6(x)`: an IPv6 address. */
export function isIPv6(value: Value): boolean {
  return typeof value === "string" && parseIp(value)?.family === 6
}

/** `isCIDR(x)`: an address range; host bits may be set. */
export function isCIDR(value: Value): boolean {
  return typeof value === "string" && parseCidr(value) !== undefined
}

/** Whether the value has the named format; false for absent. */
export function isFormat(format: string, value: Value): boolean {
  if (isMeasure(value)) return checkFormat(format, measureText(value)) === undefined
  return isJson(value) && checkFormat(format, value) === undefined
}

function isJson(value: Value): value is JsonValue {
  return present(value) && !isMeasure(value)
}

/** Longest image name in characters, with its host or the implied one. */
const imageNameMax = 255
const imageHost = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*(?::\d+)?$/i

/**
 * The tag of an image name: "latest" when it has neither tag nor digest, "" for a digest without a tag and for a name
 * that is none.
 */
export function imageTag(value: Value): Value {
  if (typeof value !== "string") return undefined
  const known = knownTags.get(value)
  if (known !== undefined) return known
  const tag = tagOf(value)
  if (value.length > imageNameMax) return tag
  if (knownTags.size >= knownTagsMax) knownTags.clear()
  knownTags.set(value, tag)
  return tag
}

/** Tags by image names of at most `imageNameMax` characters: most pods run one of few images. */
const knownTags = new Map<string, string>()
const knownTagsMax = 256

function tagOf(value: string): string {
  const [name = "", digest] = value.split("@", 2)
  const last = name.slice(name.lastIndexOf("/") + 1)
  const colon = last.indexOf(":")
  const path = (colon < 0 ? name : name.slice(0, name.length - last.length + colon)).split("/")
  // The first part may be a host, which may have capitals and a port.
  const [first = ""] = path
  const hasHost = path.length > 1 && (/[.:A-Z]/.test(first) || first === "localhost")
  const implied = hasHost ? "" : path.length > 1 ? "docker.io/" : "docker.io/library/"
  if (implied.length + path.join("/").length > imageNameMax || (hasHost && !imageHost.test(first))) return ""
  if (!path.slice(hasHost ? 1 : 0).every((part) => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(part))) return ""
  if (colon >= 0) return /^\w[\w.-]{0,127}$/.test(last.slice(colon + 1)) ? last.slice(colon + 1) : ""
  return digest === undefined ? "latest" : ""
}
