/**
 * Label selectors and field selectors: what a list, a watch or a collection delete keeps. Parsed once per request, then
 * asked for every object, so matching allocates nothing.
 */
import { badRequest } from "../errors.ts"
import { isObject } from "./json.ts"
import type { JsonValue } from "./json.ts"
import { labelValueFaults, qualifiedNameFaults } from "./names.ts"
import { parseRequirements } from "./selector-syntax.ts"

/** `exists` and `!` take no value, `in` and `notin` one or more, the others exactly one. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | ">" | "<"

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted, without repetition. */
  readonly values: readonly string[]
}

/** What every field of an object's `metadata.labels` must satisfy. */
export interface LabelSelector {
  /** By key. */
  readonly requirements: readonly LabelRequirement[]
  /** No requirement: every object matches. False for the selector that matches nothing. */
  readonly empty: boolean
  matches(labels: Readonly<Record<string, string>>): boolean
  /** The canonical text: parses to an equal selector. */
  toString(): string
}

/** Reads the `labelSelector` parameter of a request. Throws ApiError 400 that names the character or the bad key or value. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseRequirements(text).map((parsed) => {
    const requirement = { key: parsed.key, operator: parsed.operator, values: sorted(parsed.values) }
    const fault = requirementFault(requirement)
    if (fault !== undefined) throw badRequest(`unable to parse requirement: ${fault} (at character ${parsed.at})`)
    return requirement
  })
  return labelSelector(requirements)
}

const objectOperators: ReadonlyMap<JsonValue | undefined, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
])

/**
 * The selector that a LabelSelector object (`matchLabels`, `matchExpressions`) stands for: absent matches nothing, empty
 * matches everything. Throws ApiError 400 for operators, keys or values that are not valid. Called by behaviours.
 */
export function labelSelectorOf(value: JsonValue | undefined): LabelSelector {
  if (!isObject(value)) return matchNothing
  const requirements: LabelRequirement[] = []
  if (isObject(value["matchLabels"])) {
    for (const [key, text] of Object.entries(value["matchLabels"])) requirements.push({ key, operator: "=", values: [String(text)] })
  }
  const expressions = value["matchExpressions"]
  for (const expression of Array.isArray(expressions) ? expressions : []) {
    if (!isObject(expression)) continue
    const operator = objectOperators.get(expression["operator"])
    if (operator === undefined) throw badRequest(`${JSON.stringify(expression["operator"] ?? "")} is not a valid label selector operator`)
    const values = Array.isArray(expression["values"]) ? expression["values"].map(String) : []
    requirements.push({ key: String(expression["key"] ?? ""), operator, values: sorted(values) })
  }
  for (const requirement of requirements) {
    const fault = requirementFault(requirement)
    if (fault !== undefined) throw badRequest(fault)
  }
  return labelSelector(requirements)
}

/** The selector of a plain map such as ReplicationController's `spec.selector`; empty or absent matches nothing. */
export function labelSelectorOfMap(labels: Readonly<Record<string, string>> | undefined): LabelSelector {
  const entries = Object.entries(labels ?? {})
  return entries.length === 0 ? matchNothing : labelSelector(entries.map(([key, value]) => ({ key, operator: "=", values: [value] })))
}

const matchNothing: LabelSelector = { requirements: [], empty: false, matches: () => false, toString: () => "" }

function labelSelector(unordered: readonly LabelRequirement[]): LabelSelector {
  const requirements = [...unordered].sort((left, right) => compareText(left.key, right.key))
  const tests = requirements.map(requirementTest)
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (labels) => tests.every((test) => test(labels)),
    toString: () => requirements.map(requirementText).join(","),
  }
}

function requirementTest(requirement: LabelRequirement): (labels: Readonly<Record<string, string>>) => boolean {
  const { key, operator, values } = requirement
  const [first = ""] = values
  const has = (labels: Readonly<Record<string, string>>): boolean => Object.hasOwn(labels, key)
  switch (operator) {
    case "=":
    case "==":
      return (labels) => has(labels) && labels[key] === first
    case "!=":
      return (labels) => !has(labels) || labels[key] !== first
    case "exists":
      return has
    case "!":
      return (labels) => !has(labels)
    case ">":
      return (labels) => has(labels) && compareIntegers(labels[key] ?? "", first) === 1
    case "<":
      return (labels) => has(labels) && compareIntegers(labels[key] ?? "", first) === -1
    case "in":
    case "notin": {
      const set = new Set(values)
      return operator === "in"
        ? (labels) => has(labels) && set.has(labels[key] ?? "")
        : (labels) => !has(labels) || !set.has(labels[key] ?? "")
    }
  }
}

/** undefined when one of them is no whole number of 64 bits. */
function compareIntegers(left: string, right: string): -1 | 0 | 1 | undefined {
  const leftNumber = integer64(left)
  const rightNumber = integer64(right)
  if (leftNumber === undefined || rightNumber === undefined) return undefined
  return leftNumber === rightNumber ? 0 : leftNumber < rightNumber ? -1 : 1
}

function integer64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,63}$/.test(text)) return undefined
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** What is wrong with a requirement, in the reference's words. */
function requirementFault(requirement: LabelRequirement): string | undefined {
  const { key, operator, values } = requirement
  const keyFaults = qualifiedNameFaults(key)
  if (keyFaults.length > 0) return `key: Invalid value: ${JSON.stringify(key)}: ${keyFaults.join("; ")}`
  if ((operator === "in" || operator === "notin") && values.length === 0)
    return "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
  if ((operator === "exists" || operator === "!") && values.length > 0) {
    return `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`
  }
  for (const [index, value] of values.entries()) {
    if ((operator === ">" || operator === "<") && integer64(value) === undefined) {
      return `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`
    }
    const faults = labelValueFaults(value)
    if (faults.length > 0) return `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${faults.join("; ")}`
  }
  return undefined
}

function requirementText(requirement: LabelRequirement): string {
  const { key, operator, values } = requirement
  if (operator === "exists") return key
  if (operator === "!") return `!${key}`
  if (operator === "in" || operator === "notin") return `${key} ${operator} (${values.join(",")})`
  return `${key}${operator}${values[0] ?? ""}`
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareText)
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

export interface FieldRequirement {
  /** As clients write it: `metadata.name`, `spec.nodeName`. */
  readonly field: string
  readonly operator: "=" | "!="
  readonly value: string
}

/** What the selectable fields of an object must equal or not equal. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  readonly empty: boolean
  /** `get` answers the text of a selectable field, "" when the object has none. */
  matches(get: (field: string) => string): boolean
  /** The value that `field` must have, undefined when it may have several. Lets `metadata.name=x` read one key. */
  required(field: string): string | undefined
  /** The canonical text, values escaped. */
  toString(): string
}

/**
 * Reads the `fieldSelector` parameter of a request: `a=b,c!=d` with `\,`, `\=` and `\\` for those characters in values.
 * `refuse` answers why a field cannot be selected by, undefined when it can; see `refuseUnlessOneOf`. Throws ApiError 400.
 */
export function parseFieldSelector(text: string, refuse: (field: string) => string | undefined): FieldSelector {
  const terms = text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? []
  const requirements = terms
    .sort(compareText)
    .map((term) => fieldRequirement(text, term))
    // No field and no value ask for nothing, in the reference too.
    .filter(({ field, value }) => field !== "" || value !== "")
  for (const { field } of requirements) {
    const why = refuse(field)
    if (why !== undefined) throw badRequest(why)
  }
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (get) => requirements.every(({ field, operator, value }) => (get(field) === value) === (operator === "=")),
    required: (field) => requirements.find((requirement) => requirement.field === field && requirement.operator === "=")?.value,
    toString: () => requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  }
}

/**
 * `own`: the kind's selectable fields beyond metadata. Kinds without any know `metadata.namespace` even when they are
 * cluster-scoped, and refuse with a text of their own (catalog resources.yaml, fieldSelectors).
 */
export function refuseUnlessOneOf(own: readonly string[], namespaced: boolean): (field: string) => string | undefined {
  const known = new Set([...own, "metadata.name", ...(namespaced || own.length === 0 ? ["metadata.namespace"] : [])])
  return (field) => {
    if (known.has(field)) return undefined
    if (own.length > 0) return `field label not supported: ${field}`
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
  }
}

function fieldRequirement(selector: string, term: string): FieldRequirement {
  const operator = /!=|==|=/.exec(term)
  if (operator === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`)
  const value = term.slice(operator.index + operator[0].length)
  return { field: term.slice(0, operator.index), operator: operator[0] === "!=" ? "!=" : "=", value: unescapeFieldValue(value) }
}

function unescapeFieldValue(text: string): string {
  let value = ""
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === "=") throw badRequest(`invalid field selector: unescaped character in value: '=' (write \\=)`)
    if (character === "\\") {
      index += 1
      const escaped = text.charAt(index)
      if (escaped === "" || !"\\,=".includes(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`)
      value += escaped
    } else value += character
  }
  return value
}

/** A value as it must stand in a field selector. */
function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&")
}
