/**
 * The rules for names, label keys and label values. Each returns a list of errors: empty when the text is valid,
 * otherwise each entry says one thing that is wrong and what would be valid. Wording, examples and patterns are the
 * reference server's, because clients match on them. Used by the formats, selectors and metadata validation.
 *
 * Lengths are in bytes, as there. No pattern backtracks over more than one label, so hostile text costs linear time.
 */
import type { NameRule } from "./kind.ts"

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`
const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?"
const wildcardPattern = `\\*\\.${subdomainPattern}`
const qualifiedNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const labelValuePattern = `(${qualifiedNamePattern})?`

/** The patterns that were compiled. */
const compiled = new Map<string, RegExp>()

const label = wholePattern(labelPattern)
const subdomain = wholePattern(subdomainPattern)
const label1035 = wholePattern(label1035Pattern)
const wildcard = wholePattern(wildcardPattern)
const qualifiedName = wholePattern(qualifiedNamePattern)
const labelValue = wholePattern(labelValuePattern)

const qualifiedNameHelp = patternFault(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedNamePattern,
  ["MyName", "my.name", "123-abc"],
)

/** Compiles a pattern of this program, of which there are few, that must match the whole text. */
export function wholePattern(pattern: string): RegExp {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(`^${pattern}$`)
    compiled.set(pattern, expression)
  }
  return expression
}

/** The sentence for text that does not match: `help (e.g. 'a',  or 'b', regex used for validation is '...')`. */
export function patternFault(help: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ")
  return `${help} (${shown === "" ? "" : `e.g. ${shown}`}regex used for validation is '${pattern}')`
}

/** The sentence for text longer than `bytes`. */
export function tooLongFault(bytes: number): string {
  return `must be no more than ${bytes} characters`
}

/** Whether `text` is longer than `bytes` in UTF-8. Called before any pattern runs on client text. */
export function longerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes)
}

/** RFC 1123 label, at most 63: namespaces, container names. */
export function dnsLabelFaults(text: string): string[] {
  const faults = longerThan(text, 63) ? [tooLongFault(63)] : []
  if (label.test(text)) return faults
  if (subdomain.test(text)) return [...faults, "must not contain dots"]
  const help =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...faults, patternFault(help, labelPattern, ["my-name", "123-abc"])]
}

/** RFC 1123 subdomain, at most 253: names of most kinds. */
export function dnsSubdomainFaults(text: string): string[] {
  const faults = longerThan(text, 253) ? [tooLongFault(253)] : []
  if (subdomain.test(text)) return faults
  const help =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [...faults, patternFault(help, subdomainPattern, ["example.com"])]
}

/** RFC 1035 label, at most 63: names of Services. */
export function dns1035LabelFaults(text: string): string[] {
  const faults = longerThan(text, 63) ? [tooLongFault(63)] : []
  if (label1035.test(text)) return faults
  const help =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...faults, patternFault(help, label1035Pattern, ["my-name", "abc-123"])]
}

/** `*.` before an RFC 1123 subdomain, at most 253: Ingress hosts. */
export function wildcardSubdomainFaults(text: string): string[] {
  const faults = longerThan(text, 253) ? [tooLongFault(253)] : []
  if (wildcard.test(text)) return faults
  const help =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
  return [...faults, patternFault(help, wildcardPattern, ["*.example.com"])]
}

/** `[prefix/]name`: label keys, finalizers, condition types, resource names. */
export function qualifiedNameFaults(text: string): string[] {
  const slash = text.indexOf("/")
  if (slash >= 0 && text.indexOf("/", slash + 1) >= 0) {
    return [`a qualified name ${qualifiedNameHelp} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const prefix = slash < 0 ? undefined : text.slice(0, slash)
  const name = text.slice(slash + 1)
  const faults: string[] = []
  if (prefix === "") faults.push("prefix part must be non-empty")
  else if (prefix !== undefined) faults.push(...dnsSubdomainFaults(prefix).map((fault) => `prefix part ${fault}`))
  if (name === "") faults.push("name part must be non-empty")
  else if (longerThan(name, 63)) faults.push(`name part ${tooLongFault(63)}`)
  if (!qualifiedName.test(name)) faults.push(`name part ${qualifiedNameHelp}`)
  return faults
}

/** Empty, or at most 63 of the characters of a qualified name's name part. */
export function labelValueFaults(text: string): string[] {
  const faults = longerThan(text, 63) ? [tooLongFault(63)] : []
  if (labelValue.test(text)) return faults
  const help =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...faults, patternFault(help, labelValuePattern, ["MyValue", "my_value", "12345"])]
}

/**
 * Errors of a text as one segment of a request path. `prefix`: more text follows, so only the characters are checked.
 */
export function pathSegmentFaults(text: string, prefix = false): string[] {
  if (!prefix && (text === "." || text === "..")) return [`may not be '${text}'`]
  return ["/", "%"].filter((character) => text.includes(character)).map((character) => `may not contain '${character}'`)
}

/**
 * Errors of `metadata.name` (or, with `prefix`, of `metadata.generateName`) under a kind's rule. A prefix may end in
 * "-", because the generated part follows. Catalog validation.yaml, namePolicy.
 */
export function nameFaults(text: string, rule: NameRule, prefix = false): string[] {
  const name = prefix && text.length > 1 && text.endsWith("-") ? `${text.slice(0, -1)}a` : text
  switch (rule) {
    case "path-segment":
      return pathSegmentFaults(text, prefix)
    case "dns-label":
      return dnsLabelFaults(name)
    case "dns1035-label":
      return dns1035LabelFaults(name)
    case "dns-subdomain":
      return dnsSubdomainFaults(name)
  }
}
