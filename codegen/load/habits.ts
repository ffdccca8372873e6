/**
 * Words of JSON Schema, OpenAPI, custom resource definitions and Go that authors write, and their form in the dialect.
 */
import type { KeywordPlace } from "./keyword.ts"

/** `word`: the keyword that is meant; the value is read as its value, unless it is written in another way. */
export interface Habit {
  readonly expected: string
  readonly word?: string
  readonly otherValue?: true
}

const preserve: Habit = { expected: "preserveUnknown: true in the type, or a field of type any" }
const listed: Habit = { expected: "required: true in the field itself" }
const rules: Habit = { expected: "rules", word: "rules", otherValue: true }
const doc: Habit = { expected: "doc", word: "doc" }
const fields: Habit = { expected: "fields", word: "fields" }
const openMap: Habit = { expected: "type: map<T> for any keys, or preserveUnknown: true in the type" }
const unions: Habit = { expected: "oneOf: [{fields: [a, b]}] for fields of which one is set, rules for the rest" }

const anywhere: Readonly<Record<string, Habit>> = {
  description: doc,
  title: doc,
  comment: doc,
  properties: fields,
  validations: rules,
  validation: rules,
  "x-kubernetes-validations": rules,
  additionalProperties: openMap,
  "x-kubernetes-preserve-unknown-fields": preserve,
  preserveUnknownFields: { expected: "preserveUnknown", word: "preserveUnknown" },
  anyOf: unions,
  allOf: unions,
  not: unions,
}

const ofKind: Readonly<Record<string, Habit>> = {
  apiVersion: { expected: "group and version, in lines of their own", word: "version", otherValue: true },
  metadata: { expected: "nothing: every kind has metadata; a field that restates it is written under fields" },
  spec: { expected: "the field spec under fields, its type under types" },
  status: { expected: "the field status under fields, the sub-resource under subresources" },
  additionalPrinterColumns: { expected: "columns", word: "columns", otherValue: true },
  printerColumns: { expected: "columns", word: "columns", otherValue: true },
  selectableFields: { expected: "selectable", word: "selectable", otherValue: true },
  versions: { expected: "a file of its own for each version, in <group>/<version>/" },
  schema: { expected: "fields and types", word: "fields", otherValue: true },
  openAPIV3Schema: { expected: "fields and types", word: "fields", otherValue: true },
  definitions: { expected: "types", word: "types" },
  $defs: { expected: "types", word: "types" },
  namespaced: { expected: "scope: Namespaced or scope: Cluster", word: "scope", otherValue: true },
  plural: { expected: "names: {plural: ...}", word: "names", otherValue: true },
  singular: { expected: "names: {singular: ...}" },
  shortNames: { expected: "names: {short: [...]}" },
  categories: { expected: "names: {categories: [...]}" },
  required: listed,
  type: { expected: "types", word: "types" },
}

const ofType: Readonly<Record<string, Habit>> = {
  required: listed,
  type: { expected: "nothing: what types declares are structs" },
  $ref: { expected: "type, in a field" },
}

const ofField: Readonly<Record<string, Habit>> = {
  min: { expected: "minimum", word: "minimum" },
  max: { expected: "maximum", word: "maximum" },
  regex: { expected: "pattern", word: "pattern" },
  regexp: { expected: "pattern", word: "pattern" },
  id: { expected: "number", word: "number" },
  tag: { expected: "number", word: "number" },
  fieldNumber: { expected: "number", word: "number" },
  $ref: { expected: "type", word: "type", otherValue: true },
  optional: { expected: "nothing: a field is optional unless it says required: true" },
  omitempty: { expected: "nothing: absent is not written unless keepEmpty: true" },
  readOnly: { expected: "update: {keeps: [path]} and create: {drops: [path]} in the kind" },
  const: { expected: "enum with one value", word: "enum", otherValue: true },
  choices: { expected: "enum", word: "enum" },
  options: { expected: "enum", word: "enum" },
  example: { expected: "the example in the doc" },
  examples: { expected: "the example in the doc" },
  properties: { expected: "fields, or a type under types with these fields", word: "fields" },
  additionalProperties: { expected: "type: map<T>" },
  uniqueItems: { expected: "unique", word: "unique" },
  "x-kubernetes-list-type": { expected: "listType", word: "listType" },
  "x-kubernetes-list-map-keys": { expected: "mapKeys", word: "mapKeys" },
  "x-kubernetes-map-type": { expected: "mapType", word: "mapType" },
  "x-kubernetes-int-or-string": { expected: "type: IntOrString" },
  "x-kubernetes-preserve-unknown-fields": { expected: "type: any" },
  "x-kubernetes-embedded-resource": { expected: "type: RawExtension" },
  "x-kubernetes-validations": { expected: "rules of the type that has this field" },
  validations: { expected: "rules of the type that has this field" },
  validation: { expected: "rules of the type that has this field" },
  rule: { expected: "rules of the type that has this field" },
}

const byPlace: Partial<Readonly<Record<KeywordPlace, Readonly<Record<string, Habit>>>>> = {
  kind: ofKind,
  type: ofType,
  field: ofField,
  names: { shortNames: { expected: "short", word: "short" }, listKind: { expected: "list", word: "list" } },
  column: { jsonPath: { expected: "value", word: "value", otherValue: true } },
  selectable: { jsonPath: { expected: "name and value, or the path alone: spec.mode", word: "value", otherValue: true } },
  scale: {
    specReplicasPath: { expected: "specReplicas", word: "specReplicas", otherValue: true },
    statusReplicasPath: { expected: "statusReplicas", word: "statusReplicas", otherValue: true },
    labelSelectorPath: { expected: "selector", word: "selector", otherValue: true },
  },
  constraints: { type: { expected: 'the type of items in the field itself: type: "[]string"' } },
  rule: {
    fieldPath: { expected: "at", word: "at", otherValue: true },
    path: { expected: "at", word: "at" },
    field: { expected: "at", word: "at" },
    msg: { expected: "message", word: "message" },
    error: { expected: "message", word: "message" },
    text: { expected: "message", word: "message" },
    messageExpression: { expected: 'message: "... {{expression}} ..."', word: "message", otherValue: true },
    condition: { expected: "rule", word: "rule" },
    expression: { expected: "rule", word: "rule" },
    rules: { expected: "rule", word: "rule" },
    if: { expected: "when", word: "when" },
  },
  defaultRule: {
    value: { expected: "to", word: "to" },
    default: { expected: "to", word: "to" },
    path: { expected: "set", word: "set" },
    field: { expected: "set", word: "set" },
    if: { expected: "when", word: "when" },
  },
  warning: {
    message: { expected: "text", word: "text" },
    rule: { expected: "when", word: "when" },
    if: { expected: "when", word: "when" },
  },
}

/** A key that the dialect does not have at that place, but another language has. */
export function keyHabit(place: KeywordPlace, key: string): Habit | undefined {
  const here = byPlace[place]
  if (here !== undefined && Object.hasOwn(here, key)) return here[key]
  return Object.hasOwn(anywhere, key) ? anywhere[key] : undefined
}

const types: Readonly<Record<string, readonly [expected: string, nearest?: string]>> = {
  integer: ["int32, or int64 beyond 2^31", "int32"],
  int: ["int32, or int64 beyond 2^31", "int32"],
  int8: ["int32 with minimum and maximum", "int32"],
  int16: ["int32 with minimum and maximum", "int32"],
  uint8: ["int32 with minimum: 0", "int32"],
  uint16: ["int32 with minimum: 0", "int32"],
  uint32: ["int64 with minimum: 0", "int64"],
  uint64: ["int64 with minimum: 0", "int64"],
  long: ["int64", "int64"],
  number: ["double, or int32 for whole numbers", "double"],
  float: ["double", "double"],
  float32: ["double", "double"],
  float64: ["double", "double"],
  decimal: ["double, or Quantity for exact amounts", "double"],
  bool: ["boolean", "boolean"],
  str: ["string", "string"],
  text: ["string", "string"],
  char: ["string", "string"],
  enum: ["string, with enum: [A, B] beside it", "string"],
  date: ["Time", "Time"],
  datetime: ["Time", "Time"],
  "date-time": ["Time", "Time"],
  timestamp: ["Time", "Time"],
  binary: ["bytes", "bytes"],
  byte: ["bytes", "bytes"],
  base64: ["bytes", "bytes"],
  "int-or-string": ["IntOrString", "IntOrString"],
  object: ["the name of a type under types, map<T>, or any"],
  struct: ["the name of a type under types"],
  array: ['"[]T", such as "[]string"', "[]string"],
  list: ['"[]T", such as "[]string"', "[]string"],
  slice: ['"[]T", such as "[]string"', "[]string"],
  set: ['"[]T" with listType: set', "[]string"],
  map: ["map<T>, such as map<string>", "map<string>"],
  dict: ["map<T>, such as map<string>", "map<string>"],
  json: ["any", "any"],
  null: ["a type; a field that may be absent needs none of its own"],
}

/** Generic types of other languages, and the dialect's type for them, with the inner type. */
const generics: readonly (readonly [pattern: RegExp, meant: (inner: string) => string])[] = [
  [/^(?:list|array|slice|set|Set|List|Array)<(.+)>$/, (inner) => `[]${inner}`],
  [/^(.+)\[\]$/, (inner) => `[]${inner}`],
  [/^\[(\w.*)\]$/, (inner) => `[]${inner}`],
  [/^\[\] +(\S.*)$/, (inner) => `[]${inner}`],
  [/^map\[string\](.+)$/, (inner) => `map<${inner}>`],
  [/^(?:map|Map|dict|Record|object)<string, ?(.+)>$/, (inner) => `map<${inner}>`],
  [/^(?:Map|MAP|dict|Dict)<(.+)>$/, (inner) => `map<${inner}>`],
  [/^\*(.+)$/, (inner) => inner],
  [/^(.+)\?$/, (inner) => inner],
]

/** The dialect's form of a text that names no type. */
export function typeHabit(text: string): { expected: string; nearest?: string } | undefined {
  const known = Object.hasOwn(types, text) ? types[text] : types[text.toLowerCase()]
  if (known !== undefined) return { expected: known[0], ...(known[1] !== undefined && { nearest: known[1] }) }
  for (const [pattern, meant] of generics) {
    const inner = pattern.exec(text)?.[1]
    if (inner === undefined) continue
    const nearest = meant(typeHabit(inner)?.nearest ?? inner)
    const pointer = pattern.source.startsWith("^\\*") || pattern.source.endsWith("\\?$")
    return { expected: pointer ? `${nearest}, with pointer: true beside it` : `"${nearest}"`, nearest }
  }
  if (/^map<[^>]*$/.test(text)) return { expected: "map<T>, with the type of the values alone: keys are texts", nearest: "map<string>" }
  return undefined
}

const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: {
    int: "integer",
    int32: "integer",
    int64: "integer",
    bool: "boolean",
    double: "number",
    float: "number",
    str: "string",
    text: "string",
    Time: "date",
    time: "date",
    timestamp: "date",
  },
  format: {
    hostname: "dns-subdomain",
    email: "uri",
    ipv4: "ip",
    "host-name": "dns-subdomain",
    url: "uri",
    byte: "base64",
    port: "port-number",
  },
  listType: { list: "atomic" },
  propagation: { Background: "background" },
}

/** The word of a closed list for the word that another language uses. */
export function wordHabit(keyword: string, written: string): string | undefined {
  if (keyword === "reason") return /^FieldValue([A-Z]\w+)$/.exec(written)?.[1]
  const known = words[keyword]
  return known !== undefined && Object.hasOwn(known, written) ? known[written] : undefined
}

const formatTypes: Readonly<Record<string, string>> = {
  int32: "type: int32, without a format",
  int64: "type: int64, without a format",
  double: "type: double, without a format",
  float: "type: double, without a format",
  "date-time": "type: Time, without a format",
  date: "type: Time, without a format",
  duration: "type: Duration, without a format",
  "int-or-string": "type: IntOrString, without a format",
}

/** Formats of OpenAPI that are types here. */
export function formatHabit(written: string): string | undefined {
  return Object.hasOwn(formatTypes, written) ? formatTypes[written] : undefined
}
