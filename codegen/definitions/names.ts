/** Names that both directions share: keywords of definitions, and texts that have a fixed form in them. */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"

/** A quantity as generators of definitions publish it: CEL and clients read the text beside int-or-string. */
export const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"

/** The junctor beside int-or-string that the rules of structural schemas allow. */
export const intOrStringTypes: readonly JsonObject[] = [{ type: "integer" }, { type: "string" }]

const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

/**
 * Formats of the dialect with an equivalent pattern. Definitions have the format, which every server ignores as
 * unknown, beside these keywords, which every server checks.
 */
export const formatPatterns: Readonly<Record<string, JsonObject>> = {
  "dns-label": { pattern: `^${dnsLabel}$`, maxLength: 63 },
  "dns-subdomain": { pattern: `^${dnsLabel}(\\.${dnsLabel})*$`, maxLength: 253 },
  "dns1035-label": { pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 },
  "c-identifier": { pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  "http-header-name": { pattern: "^[-A-Za-z0-9]+$" },
  percent: { pattern: "^[0-9]+%$" },
  uuid: { pattern: "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$" },
}

/** Formats of whole numbers: definitions state the range, and the width of the number as format. */
export const rangeFormats: ReadonlySet<string> = new Set(["port-number", "user-id", "group-id", "file-mode"])

/** Formats that servers of definitions check and the dialect has under the same name. */
export const sharedFormats: ReadonlySet<string> = new Set(["cidr", "ipv4", "ipv6", "uri"])

/** Formats that servers of definitions check and the dialect does not have; dashes do not matter. */
export const foreignFormats: ReadonlySet<string> = new Set(
  "bsonobjectid email hostname mac uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor password date".split(" "),
)

/** Whether two JSON values are equal; the order of members does not matter. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return canonical(left) === canonical(right)
}

/** JSON with sorted members. */
function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner)
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/** A text of several lines on one. */
export function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
}

/** The fields that every object has: no schema declares them. */
export const impliedFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])
