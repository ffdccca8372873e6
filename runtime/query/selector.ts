/**
 * Label selectors and field selectors of lists, watches and collection deletes. They are parsed once per request and
 * then tested on every object, at a cost that does not grow with the selector.
 */
import { badRequest } from "../base/errors.ts"
import { selectorRequirementsMax, shownValueCharactersMax } from "../base/limits.ts"
import { shortJson } from "../base/bounded-text.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { atOnce, type Stages, Turns } from "../base/turns.ts"
import { compileWork } from "../base/work.ts"
import { integer64, type LabelTest, labelTest, labelTestStages } from "./label-test.ts"
import { labelValueFaults, qualifiedNameFaults } from "../schema/names.ts"
import { cut } from "../base/quote.ts"
import { parseRequirements, tooManyRequirements } from "./selector-syntax.ts"
import type { LabelOperator, LabelRequirement } from "./label-requirement.ts"

/** The requirements that an object's `metadata.labels` must satisfy. */
export interface LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[]
  /** True when there is no requirement: every object matches. False for the selector that matches nothing. */
  readonly empty: boolean
  matches(labels: Readonly<Record<string, string>>): boolean
  /** Returns the canonical text, which parses to an equal selector. */
  toString(): string
}

/**
 * Parses the `labelSelector` parameter of a request. Throws ApiError 400 that names the character or the invalid key or
 * value.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseRequirements(text).map((parsed) => {
    const requirement = { key: parsed.key, operator: parsed.operator, values: sorted(parsed.values) }
    const fault = requirementFault(requirement)
    if (fault !== undefined) throw badRequest(`unable to parse requirement: ${fault} (at character ${parsed.at})`)
    return requirement
  })
  return labelSelector(inOrder(requirements))
}

const objectOperators: ReadonlyMap<JsonValue | undefined, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
])

/**
 * Converts a LabelSelector object (`matchLabels`, `matchExpressions`): absent matches nothing, empty matches
 * everything. Throws ApiError 400 for invalid operators, keys or values. Called by behaviours.
 */
export function labelSelectorOf(value: JsonValue | undefined): LabelSelector {
  return atOnce(labelSelectorStages(value))
}

/** The same in stages: an object may have a selector of ten thousand requirements. */
export function* labelSelectorStages(value: JsonValue | undefined): Stages<LabelSelector> {
  if (!isObject(value)) return matchNothing
  const requirements: LabelRequirement[] = []
  const turns = new Turns()
  for (const requirement of requirementsIn(value)) {
    requirements.push(requirement)
    if (turns.endsStage(compileWork * (1 + requirement.values.length))) yield
  }
  for (const requirement of requirements) {
    const fault = requirementFault(requirement)
    if (fault !== undefined) throw badRequest(fault)
    if (turns.endsStage(compileWork * (1 + requirement.values.length))) yield
  }
  const ordered = inOrder(requirements)
  yield
  return labelSelector(ordered, yield* labelTestStages(ordered))
}

function* requirementsIn({ matchExpressions, matchLabels }: JsonObject): Generator<LabelRequirement, void, undefined> {
  if (isObject(matchLabels)) for (const [key, text] of Object.entries(matchLabels)) yield { key, operator: "=", values: [String(text)] }
  for (const expression of Array.isArray(matchExpressions) ? matchExpressions : []) {
    if (!isObject(expression)) continue
    const operator = objectOperators.get(expression["operator"])
    if (operator === undefined)
      throw badRequest(`${shortJson(expression["operator"] ?? "", shownValueCharactersMax)} is not a valid label selector operator`)
    const values = Array.isArray(expression["values"]) ? expression["values"].map(String) : []
    yield { key: String(expression["key"] ?? ""), operator, values: sorted(values) }
  }
}

/** Converts a plain map such as ReplicationController's `spec.selector`; empty or absent matches nothing. */
export function labelSelectorOfMap(labels: Readonly<Record<string, string>> | undefined): LabelSelector {
  const entries = Object.entries(labels ?? {})
  return entries.length === 0
    ? matchNothing
    : labelSelector(inOrder(entries.map(([key, value]) => ({ key, operator: "=", values: [value] }))))
}

const matchNothing: LabelSelector = { requirements: [], empty: false, matches: () => false, toString: () => "" }

function inOrder(requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  return [...requirements].sort((left, right) => compareText(left.key, right.key))
}

/** `requirements`: sorted by key. */
function labelSelector(requirements: readonly LabelRequirement[], matches: LabelTest = labelTest(requirements)): LabelSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches,
    toString: () => requirements.map(requirementText).join(","),
  }
}

/** Says what is wrong with a requirement, in the reference's words. */
function requirementFault(requirement: LabelRequirement): string | undefined {
  const { key, operator, values } = requirement
  const keyFaults = qualifiedNameFaults(key)
  if (keyFaults.length > 0) return `<nil>: Invalid value: ${JSON.stringify(cut(key))}: ${keyFaults.join("; ")}`
  if ((operator === "in" || operator === "notin") && values.length === 0)
    return "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
  if ((operator === "exists" || operator === "!") && values.length > 0) {
    return `values: Invalid value: ${shortJson([...values], shownValueCharactersMax)}: values set must be empty for exists and does not exist`
  }
  for (const [index, value] of values.entries()) {
    if ((operator === ">" || operator === "<") && integer64(value) === undefined) {
      return `values[${index}]: Invalid value: ${JSON.stringify(cut(value))}: for 'Gt', 'Lt' operators, the value must be an integer`
    }
    const faults = labelValueFaults(value)
    if (faults.length > 0) return `values[${index}][${key}]: Invalid value: ${JSON.stringify(cut(value))}: ${faults.join("; ")}`
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

/** Equality requirements on the selectable fields of an object. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  readonly empty: boolean
  /** `get` returns the text of a selectable field, "" when the object has none. */
  matches(get: (field: string) => string): boolean
  /**
   * Returns the value that `field` must have; undefined when it may have several. With `metadata.name=x` the server
   * reads a single key.
   */
  required(field: string): string | undefined
  /** Returns the canonical text, values escaped. */
  toString(): string
}

/**
 * Parses the `fieldSelector` parameter of a request: `a=b,c!=d`, with `\,`, `\=` and `\\` for those characters in
 * values. `refuse` says why a field is not selectable, undefined when it is; see `selectableFieldCheck`. Throws
 * ApiError 400.
 */
export function parseFieldSelector(text: string, refuse: (field: string) => string | undefined): FieldSelector {
  const requirements = fieldTerms(text)
    .sort(compareText)
    .map((term) => fieldRequirement(text, term))
    // A term without field and value is ignored, as in the reference.
    .filter(({ field, value }) => field !== "" || value !== "")
  for (const { field } of requirements) {
    const why = refuse(field)
    if (why !== undefined) throw badRequest(why)
  }
  const tests = fieldTests(requirements)
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (get) => tests.every((test) => test(get)),
    required: (field) => requirements.find((requirement) => requirement.field === field && requirement.operator === "=")?.value,
    toString: () => requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  }
}

export interface SelectableFieldsOf {
  readonly namespaced: boolean
  /** A definition added the kind. */
  readonly custom: boolean
  /** The message for other fields, with `{field}` for the name. */
  readonly message?: string
}

/**
 * `own`: the kind's selectable fields besides metadata. Built-in kinds without any accept `metadata.namespace` even
 * when they are cluster-scoped, and refuse with a message of their own (catalog resources.yaml, fieldSelectors).
 */
export function selectableFieldCheck(
  own: readonly string[],
  { namespaced, custom, message = "field label not supported: {field}" }: SelectableFieldsOf,
): (field: string) => string | undefined {
  const plain = own.length === 0 && !custom
  const known = new Set([...own, "metadata.name", ...(namespaced || plain ? ["metadata.namespace"] : [])])
  return (field) => {
    if (known.has(field)) return undefined
    if (!plain) return message.replace("{field}", () => cut(field))
    return `${JSON.stringify(cut(field))} is not a known field selector: only "metadata.name", "metadata.namespace"`
  }
}

/**
 * Splits at commas that no backslash precedes; drops empty terms. Throws ApiError 400 for more terms than any client
 * sends.
 */
function fieldTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === ",") {
      if (at > start) terms.push(text.slice(start, at))
      if (terms.length > selectorRequirementsMax) throw tooManyRequirements("field")
      start = at + 1
    }
  }
  if (start < text.length) terms.push(text.slice(start))
  if (terms.length > selectorRequirementsMax) throw tooManyRequirements("field")
  return terms
}

type FieldTest = (get: (field: string) => string) => boolean

/** Merges all requirements on a field into one test. */
function fieldTests(requirements: readonly FieldRequirement[]): readonly FieldTest[] {
  const byField = new Map<string, { readonly equal: Set<string>; readonly unequal: Set<string> }>()
  for (const { field, operator, value } of requirements) {
    const values = byField.get(field) ?? { equal: new Set(), unequal: new Set() }
    const { equal, unequal } = values
    if (operator === "=") equal.add(value)
    else unequal.add(value)
    byField.set(field, values)
  }
  return [...byField].map(([field, { equal, unequal }]) => {
    const [only] = equal
    if (equal.size > 1) return () => false
    if (only === undefined) return (get) => !unequal.has(get(field))
    return unequal.has(only) ? () => false : (get) => get(field) === only
  })
}

function fieldRequirement(selector: string, term: string): FieldRequirement {
  const operator = /!=|==|=/.exec(term)
  if (operator === null) throw badRequest(`invalid selector: '${cut(selector)}'; can't understand '${cut(term)}'`)
  const value = term.slice(operator.index + operator[0].length)
  return { field: term.slice(0, operator.index), operator: operator[0] === "!=" ? "!=" : "=", value: unescapeFieldValue(value) }
}

function unescapeFieldValue(text: string): string {
  let value = ""
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === "=") throw badRequest(`invalid field selector: unescaped character in value: 61: write \\=`)
    if (character === "\\") {
      index += 1
      const escaped = text.charAt(index)
      if (escaped === "" || !"\\,=".includes(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`)
      value += escaped
    } else value += character
  }
  return value
}

/** Escapes a value for a field selector. */
function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&")
}
