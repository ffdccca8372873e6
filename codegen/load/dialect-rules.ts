/** Keywords about the fields of a type together: rules, defaults, checks, groups. Part of the table in dialect.ts. */
import type { Keyword } from "./keyword.ts"
import { boolean, expression, fieldName, fieldNames, path, word } from "./value-forms.ts"

/** Reasons of failures that a schema may state. */
export const failureReasons = ["Required", "Invalid", "NotSupported", "TooLong", "TooMany", "Duplicate", "Forbidden", "NotFound"] as const

/** Keywords of a type about its fields together. */
export const checksAndUnions: readonly Keyword[] = [
  {
    word: "rules",
    places: ["kind", "type", "field"],
    value: { form: "list", of: { form: "block", place: "rule" } },
    doc: "Conditions that must be true.",
    example: 'rules:\n  - {rule: minimum <= maximum, at: minimum, message: "must not be more than maximum"}',
  },
  {
    word: "rule",
    places: ["rule"],
    value: expression,
    required: true,
    doc: "The condition; self is the value of the type, its fields are bare names.",
    example: 'rules: [{rule: "self.all(k, k.size() < 64)", message: keys are short}]',
  },
  {
    word: "at",
    places: ["rule", "warning", "failure"],
    value: { form: "reportedPath" },
    doc: "The field that the failure names, below the type. Default: the value itself; of an entry of failures, the field. A path that begins with ./ or ../ need not be that of a field: ../ drops the last step, a name or an index, of the path of the value that has the field, and [] is the index or key of an item.",
    example: 'rules: [{rule: replicas >= 0, at: replicas, message: "must not be negative"}]',
  },
  {
    word: "reason",
    places: ["rule", "failure"],
    value: { form: "word", words: failureReasons },
    doc: "Reason of the failure. Default: Invalid; of an entry of failures, that of the keyword.",
    example: 'rules: [{rule: has(a), at: a, reason: Required, message: ""}]',
  },
  {
    word: "message",
    places: ["rule"],
    value: { form: "template" },
    required: true,
    doc: "What is wrong and what would be valid. {{expression}} is replaced.",
    example: 'rules: [{rule: size(a) < 3, at: a, message: "has {{size(a)}} items"}]',
  },
  {
    word: "value",
    places: ["rule"],
    value: expression,
    doc: "What the message shows in place of the value at the path.",
    example: 'rules: [{rule: low <= high, at: low, value: high - low, message: "must not be negative"}]',
  },
  {
    word: "before",
    places: ["rule"],
    value: fieldName,
    doc: "The rule is checked before this field of the type, so that its failure comes first. Default: after all fields.",
    example: "rules: [{rule: size(kind) > 0, at: kind, before: name, message: is needed}]",
  },
  {
    word: "when",
    places: ["rule", "defaultRule", "warning", "completed"],
    value: expression,
    doc: "Only where this is true. Required for warnings and completed.",
    example: 'rules: [{when: type == "Exact", rule: has(path), at: path, message: is needed}]',
  },
  {
    word: "on",
    places: ["rule"],
    value: word("any", "create", "update"),
    doc: "The operation; oldSelf and oldRoot are known with update. Default: any.",
    example: "rules: [{on: update, rule: replicas >= oldSelf.replicas, at: replicas, message: may only grow}]",
  },
  {
    word: "defaults",
    places: ["kind", "type", "field"],
    value: { form: "list", of: { form: "block", place: "defaultRule" } },
    doc: "Defaults that depend on other fields, evaluated in order after nested defaults.",
    example: "defaults:\n  - {set: targetPort, to: port}",
  },
  {
    word: "set",
    places: ["defaultRule"],
    value: path,
    required: true,
    doc: "The field to fill when it is absent, below the type.",
    example: "defaults: [{set: targetPort, to: port}]",
  },
  {
    word: "to",
    places: ["defaultRule"],
    value: { form: "either", of: [expression, { form: "list", of: { form: "constant" } }] },
    required: true,
    doc: "The value: an expression, or a constant list.",
    example: "defaults: [{set: limits, to: requests, when: has(requests)}]",
  },
  {
    word: "force",
    places: ["defaultRule"],
    value: boolean,
    doc: "true: also replaces an existing value. Default: false.",
    example: "defaults: [{set: host, to: node, force: true}]",
  },
  {
    word: "checks",
    places: ["kind", "type", "field"],
    value: { form: "list", of: { form: "identifier" } },
    doc: "Validators of runtime/behaviours/checks/, for what no expression can say.",
    example: "checks: [certificateRequest]",
  },
  {
    word: "oneOf",
    places: ["kind", "type", "field"],
    value: { form: "list", of: { form: "block", place: "oneOf" } },
    doc: "Groups of fields of which at most one is set. The first that is set, in the order here, is validated; each further one is FieldValueForbidden, whatever it holds.",
    example: "oneOf: [{fields: [exec, httpGet], required: true}]",
  },
  {
    word: "fields",
    places: ["oneOf"],
    value: fieldNames,
    required: true,
    doc: "The fields of the group.",
    example: "oneOf: [{fields: [exec, httpGet]}]",
  },
  {
    word: "required",
    places: ["oneOf"],
    value: boolean,
    doc: "true: exactly one is set; none is FieldValueRequired. Default: false.",
    example: "oneOf: [{fields: [exec, httpGet], required: true}]",
  },
]
