/** Keywords that limit the values of fields, and keywords that word their failures. Part of the table in dialect.ts. */
import type { Keyword, ValueForm } from "./keyword.ts"
import { fieldName, fieldNames, yes } from "./value-forms.ts"

const number: ValueForm = { form: "number" }
const count: ValueForm = { form: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const constraints: ValueForm = { form: "block", place: "constraints" }

const limits: readonly Keyword[] = [
  {
    word: "enum",
    places: ["field", "constraints"],
    value: {
      form: "either",
      of: [
        { form: "list", of: { form: "constant" } },
        { form: "map", of: { form: "text" } },
      ],
    },
    doc: "The only values; others are FieldValueNotSupported. A list of them, or a map from each to a sentence, which generated types, OpenAPI and kubectl explain show. Nothing is said about the empty text of a non-pointer.",
    example: "protocol: {type: string, enum: {TCP: Streams of bytes., UDP: Single packets.}, doc: Protocol of the port.}",
  },
  {
    word: "openEnum",
    places: ["field", "constraints"],
    value: yes,
    doc: "true: other values than those of enum are taken, too. It is published, and not checked.",
    example: "phase: {type: string, number: 1, enum: [Cold, Hot], openEnum: true, doc: How far it is.}",
  },
  {
    word: "publishedEnum",
    places: ["field", "constraints"],
    value: { form: "list", of: { form: "constant" } },
    doc: "The values that OpenAPI names in place of those of enum; an empty list: none. What is accepted stays with enum and the rules.",
    example: "kind: {type: string, enum: [Tea, Coffee], publishedEnum: [Tea, Coffee, Other], doc: What it makes.}",
  },
  {
    word: "format",
    places: ["field", "constraints"],
    value: { form: "formatName" },
    doc: "A named check of runtime/schema/formats.ts.",
    example: "name: {type: string, number: 1, format: dns-label, doc: Name of the container.}",
  },
  {
    word: "pattern",
    places: ["field", "constraints"],
    value: { form: "text" },
    doc: "RE2 pattern that is found in the text; anchor it with ^ and $.",
    example: 'name: {type: string, number: 1, pattern: "^[a-z]+$", doc: Name of the kettle.}',
  },
  {
    word: "minimum",
    places: ["field", "constraints"],
    value: number,
    doc: "Smallest number, inclusive.",
    example: "litres: {type: int32, number: 1, minimum: 1, doc: How much it holds.}",
  },
  {
    word: "maximum",
    places: ["field", "constraints"],
    value: number,
    doc: "Largest number, inclusive.",
    example: "litres: {type: int32, number: 1, maximum: 10, doc: How much it holds.}",
  },
  {
    word: "exclusiveMinimum",
    places: ["field", "constraints"],
    value: number,
    doc: "The number that every value is above.",
    example: "litres: {type: double, number: 1, exclusiveMinimum: 0, doc: How much it holds.}",
  },
  {
    word: "exclusiveMaximum",
    places: ["field", "constraints"],
    value: number,
    doc: "The number that every value is below.",
    example: "share: {type: double, number: 1, minimum: 0, exclusiveMaximum: 1, doc: How much of it is used.}",
  },
  {
    word: "multipleOf",
    places: ["field", "constraints"],
    value: number,
    doc: "The value is a whole multiple of this number above 0; decimals are exact: 0.3 is a multiple of 0.1.",
    example: "price: {type: double, number: 1, multipleOf: 0.01, doc: What it costs.}",
  },
  {
    word: "minLength",
    places: ["field", "constraints"],
    value: count,
    doc: "Fewest characters.",
    example: "code: {type: string, number: 1, minLength: 2, doc: Code of the place.}",
  },
  {
    word: "maxLength",
    places: ["field", "constraints"],
    value: count,
    doc: "Most characters; more is FieldValueTooLong.",
    example: "reason: {type: string, number: 7, maxLength: 128, doc: Why it happened.}",
  },
  {
    word: "minItems",
    places: ["field", "constraints"],
    value: count,
    doc: "Fewest items of a list.",
    example: 'hosts: {type: "[]string", number: 1, minItems: 1, doc: Where it runs.}',
  },
  {
    word: "maxItems",
    places: ["field", "constraints"],
    value: count,
    doc: "Most items of a list; more is FieldValueTooMany.",
    example: 'hosts: {type: "[]string", number: 1, maxItems: 8, doc: Where it runs.}',
  },
  {
    word: "minProperties",
    places: ["field", "constraints"],
    value: count,
    doc: "Fewest entries of a map.",
    example: "data: {type: map<string>, number: 1, minProperties: 1, doc: The texts.}",
  },
  {
    word: "maxProperties",
    places: ["field", "constraints"],
    value: count,
    doc: "Most entries of a map; more is FieldValueTooMany.",
    example: "data: {type: map<string>, number: 1, maxProperties: 8, doc: The texts.}",
  },
  {
    word: "items",
    places: ["field", "constraints"],
    value: constraints,
    doc: "Limits on every item of a list.",
    example: 'hosts: {type: "[]string", number: 1, items: {format: dns-label}, doc: Where it runs.}',
  },
  {
    word: "values",
    places: ["field", "constraints"],
    value: constraints,
    doc: "Limits on every value of a map.",
    example: "data: {type: map<string>, number: 1, values: {maxLength: 64}, doc: The texts.}",
  },
  {
    word: "keys",
    places: ["field", "constraints"],
    value: constraints,
    doc: "Limits on every key of a map.",
    example: "data: {type: map<string>, number: 1, keys: {format: data-key}, doc: The texts.}",
  },
  {
    word: "unique",
    places: ["field"],
    value: { form: "either", of: [yes, { form: "list", of: { form: "either", of: [fieldName, fieldNames] } }] },
    doc: "Items may not repeat: true compares whole items, a list of fields compares those, a list of lists states several such rules. FieldValueDuplicate at the later item.",
    example: 'ports: {type: "[]Port", number: 1, unique: [port, protocol], doc: Ports to open.}',
  },
]

const failures: readonly Keyword[] = [
  {
    word: "failures",
    places: ["field", "constraints", "oneOf"],
    value: { form: "map", of: { form: "either", of: [{ form: "block", place: "failure" }, { form: "text" }] } },
    doc: "How failures are reported where it is not in the words of the keyword: a map from the keyword that fails, which is stated beside it, to a text, or to reason, message, at, value and supported. Of oneOf: second, of a second field, and required, of none.",
    example:
      "os: {type: string, number: 1, nonEmpty: true, enum: [linux], failures: {nonEmpty: cannot be empty, enum: {reason: Invalid, message: is not known}}, doc: System of the machine.}",
  },
  {
    word: "message",
    places: ["failure"],
    value: { form: "text" },
    doc: "What is wrong, in place of the text of the keyword. Several faults of one value are then reported once.",
    example: "failures: {nonEmpty: {message: cannot be empty}}",
  },
  {
    word: "value",
    places: ["failure"],
    value: { form: "constant" },
    doc: "What the message shows in place of the value.",
    example: 'failures: {required: {reason: Invalid, value: "", message: must be stated}}',
  },
  {
    word: "omitValue",
    places: ["failure", "rule"],
    value: yes,
    doc: "true: the message says nothing of the value.",
    example: "rules: [{rule: has(a) != has(b), at: ., omitValue: true, message: one of a and b is needed}]",
  },
  {
    word: "supported",
    places: ["failure", "rule"],
    value: { form: "list", of: { form: "text" } },
    doc: "With reason NotSupported: the values that the message lists. Default of enum: its own, in their order as texts.",
    example: "failures: {enum: {supported: [Tea, Coffee]}}",
  },
  {
    word: "reportedAt",
    places: ["field"],
    value: { form: "reportedPath" },
    doc: "The path by which failures of the field, and of all below it, name it: ./other for another name, . for the value that has it, ../other for a path beside that value.",
    example: "metadata: {type: meta.v1.ObjectMeta, number: 1, reportedAt: ., doc: Labels of the pods.}",
  },
]

/** Limits of a field, of its items, values and keys, and the words of their failures. */
export const limitKeywords: readonly Keyword[] = [...limits, ...failures]
