/**
 * Keywords of types and fields: structure, constraints, merging, rules and defaults. Part of the table in dialect.ts.
 */
import { featureGateNames } from "../../runtime/base/feature-gates.ts"
import type { Keyword, ValueForm } from "./keyword.ts"
import { boolean, expression, path, word } from "./value-forms.ts"

const number: ValueForm = { form: "number" }
const fieldName: ValueForm = { form: "fieldName" }
const fieldNames: ValueForm = { form: "list", of: fieldName }
const count: ValueForm = { form: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const yes: ValueForm = { form: "word", words: [true] }
const constraints: ValueForm = { form: "block", place: "constraints" }

/** The largest field number of protobuf, and the range that it reserves. */
const maxFieldNumber = 536_870_911

const structure: readonly Keyword[] = [
  {
    word: "fields",
    places: ["kind", "type", "field"],
    value: { form: "map", of: { form: "block", place: "field" } },
    doc: 'The fields, in the order in which JSON is written. In a kind file kind, apiVersion and metadata are implied. On a field: those of a type of its own, whose name is that of the outer type and the field (KettleSpec of spec of Kettle); without type the field has that type, and in type the word fields names it: "[]fields", map<fields>.',
    example: "fields:\n  spec: {type: KettleSpec, number: 2, doc: What the kettle should do.}",
  },
  {
    word: "preserveUnknown",
    places: ["kind", "type", "field"],
    value: boolean,
    doc: "true: fields that the schema does not name are kept as they were sent.",
    example: "types:\n  Free: {doc: Anything at all., preserveUnknown: true}",
  },
  {
    word: "union",
    places: ["type"],
    value: yes,
    doc: "true: a value is that of one of the fields, without its name: a text or a list of texts. Its JSON type tells which. In the compact encoding the union is a message with all fields.",
    example:
      'types:\n  Sizes:\n    doc: One size, or several.\n    union: true\n    fields:\n      one: {type: int32, pointer: true, doc: The size.}\n      many: {type: "[]int32", doc: The sizes.}',
  },
  {
    word: "structType",
    places: ["kind", "type", "field"],
    value: word("atomic", "granular"),
    doc: "atomic: server-side apply owns the whole value.",
    example: "structType: atomic",
  },
  {
    word: "type",
    places: ["field"],
    value: { form: "type" },
    required: { unless: "fields" },
    doc: 'A scalar (string boolean int32 int64 double bytes Time MicroTime Duration Quantity IntOrString RawExtension FieldsV1 any), "[]T" (in quotes), map<T>, "wrapped<[]T>", or the name of a type.',
    example: 'ports: {type: "[]ContainerPort", number: 6, doc: Ports to expose.}',
  },
  {
    word: "number",
    places: ["field"],
    value: { form: "either", of: [{ form: "integer", minimum: 1, maximum: maxFieldNumber }, word("none")] },
    doc: "Field number of the protobuf encoding. Without it gen takes the number in numbers.lock.yaml, or a free one. none: the field is only JSON.",
    example: "phase: {type: string, number: 1, doc: Where the pod is in its life.}",
  },
  {
    word: "protoName",
    places: ["field"],
    value: fieldName,
    doc: "Name in the protobuf descriptor where it differs.",
    example: 'podIPs: {type: "[]PodIP", number: 12, protoName: podIPs, doc: All addresses.}',
  },
  {
    word: "inline",
    places: ["field"],
    value: yes,
    doc: "The type's fields appear in the parent's JSON; in protobuf it is a nested message.",
    example: "handler: {type: ProbeHandler, number: 1, inline: true, doc: What to do.}",
  },
  {
    word: "pointer",
    places: ["field"],
    value: boolean,
    doc: "true: absent and zero differ.",
    example: "replicas: {type: int32, number: 1, pointer: true, doc: How many there should be.}",
  },
  {
    word: "nullable",
    places: ["field"],
    value: yes,
    doc: "A null that a client sends is a value of its own: it is kept, no default replaces it, and no limit applies to it. Implies pointer. The field is only JSON: the protobuf encoding has no null.",
    example: "deadline: {type: Time, nullable: true, doc: When it must be done; null for never.}",
  },
  {
    word: "keepEmpty",
    places: ["field"],
    value: boolean,
    doc: "true: the zero value is written when the field is absent.",
    example: "image: {type: string, number: 1, keepEmpty: true, doc: What to run.}",
  },
  {
    word: "unchecked",
    places: ["field"],
    value: yes,
    doc: "Limits, rules and checks that the type of the value states for itself do not apply here; those beside this word do.",
    example: "template: {type: core.v1.PodTemplateSpec, number: 3, unchecked: true, doc: The pods to make.}",
  },
  {
    word: "gate",
    places: ["field"],
    value: word(...featureGateNames, "removed"),
    doc: "While this gate of --feature-gates is off, the field is dropped from what clients write, before validation. An update keeps it if the stored object has a field of the gate. removed: no gate turns it on.",
    example:
      "hostUsers: {type: boolean, number: 37, pointer: true, gate: UserNamespacesSupport, doc: Whether users are those of the host.}",
  },
  {
    word: "gatedValue",
    places: ["field"],
    value: { form: "constant" },
    doc: "What the field is set to in place of being dropped while its gate is off. A stored field with this value does not count.",
    example: 'procMount: {type: string, number: 9, pointer: true, gate: ProcMountType, gatedValue: Default, doc: "How /proc is mounted."}',
  },
  {
    word: "deprecated",
    places: ["field"],
    value: yes,
    doc: "Published, so that clients can warn their users.",
    example: "serviceAccount: {type: string, number: 9, deprecated: true, doc: Use serviceAccountName.}",
  },
]

const values: readonly Keyword[] = [
  {
    word: "required",
    places: ["field"],
    value: word(true, false, "published"),
    doc: "true: published as required, and absent is FieldValueRequired. published: only published; an absent one gets its zero value (keepEmpty).",
    example: "name: {type: string, number: 1, required: published, doc: Name of the container.}",
  },
  {
    word: "nonEmpty",
    places: ["field"],
    value: yes,
    doc: 'Absent, "", [] and {} are FieldValueRequired.',
    example: "name: {type: string, number: 1, nonEmpty: true, doc: Name of the container.}",
  },
  {
    word: "requiredOn",
    places: ["field"],
    value: word("create", "update"),
    doc: "As nonEmpty, but only on that operation.",
    example: "reason: {type: string, number: 7, requiredOn: create, doc: Why it happened.}",
  },
  {
    word: "default",
    places: ["field"],
    value: { form: "constant" },
    doc: "Published, and applied when absent (for non-pointers also when empty).",
    example: "protocol: {type: string, number: 4, default: TCP, doc: Protocol of the port.}",
  },
  {
    word: "zero",
    places: ["field"],
    value: word("absent"),
    doc: "absent: on a field that is not a pointer the default is meant to replace 0 as well; gen does not warn.",
    example: "seconds: {type: int32, default: 10, zero: absent, doc: Seconds between checks.}",
  },
  {
    word: "immutable",
    places: ["field"],
    value: word(true, "once-set"),
    doc: "true: never changes after creation. once-set: may be set later, then never changes.",
    example: "nodeName: {type: string, number: 10, immutable: once-set, doc: Node that runs it.}",
  },
]

const references: readonly Keyword[] = [
  {
    word: "references",
    places: ["field"],
    value: { form: "either", of: [{ form: "kindReference" }, { form: "block", place: "reference" }] },
    doc: "The text is the name of an object of that kind, or each item of the list is: in the same namespace, or in the one that the field namespace names. A write with a new or changed name is refused with FieldValueNotFound while there is no such object. Nothing is checked later: deleting the object leaves the name behind.",
    example: "config: {type: string, references: core/v1 ConfigMap, doc: Where its settings are.}",
  },
  {
    word: "kind",
    places: ["reference"],
    value: { form: "kindReference" },
    required: true,
    doc: "The kind of the object.",
    example: "references: {kind: core/v1 Secret, namespace: secretNamespace}",
  },
  {
    word: "namespace",
    places: ["reference"],
    value: fieldName,
    doc: "The field of the same type that names the namespace of the object. Default, also while that field is absent: the namespace of the object that refers to it.",
    example: "references: {kind: core/v1 Secret, namespace: secretNamespace}",
  },
]

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
    doc: "How failures are told where it is not in the words of the keyword: a map from the keyword that fails, which is stated beside it, to a text, or to reason, message, at, value and supported. Of oneOf: second, of a second field, and required, of none.",
    example:
      "os: {type: string, number: 1, nonEmpty: true, enum: [linux], failures: {nonEmpty: cannot be empty, enum: {reason: Invalid, message: is not known}}, doc: System of the machine.}",
  },
  {
    word: "message",
    places: ["failure"],
    value: { form: "text" },
    doc: "What is wrong, in place of the text of the keyword. Several faults of one value are then told once.",
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
    value: { form: "toldPath" },
    doc: "The path by which failures of the field, and of all below it, name it: ./other for another name, . for the value that has it, ../other for a path beside that value.",
    example: "metadata: {type: meta.v1.ObjectMeta, number: 1, reportedAt: ., doc: Labels of the pods.}",
  },
]

const merging: readonly Keyword[] = [
  {
    word: "listType",
    places: ["field"],
    value: word("atomic", "set", "map"),
    doc: "How server-side apply merges a list. Items of a set are distinct, those of a map list in their mapKeys: a repeated one is FieldValueDuplicate.",
    example: 'ports: {type: "[]Port", number: 1, listType: map, mapKeys: [port], doc: Ports to open.}',
  },
  {
    word: "duplicates",
    places: ["field"],
    value: word("allowed"),
    doc: "allowed: items of a set, or with equal keys in a map list, may repeat; without it they are FieldValueDuplicate.",
    example:
      'env: {type: "[]EnvVar", number: 7, listType: map, mapKeys: [name], duplicates: allowed, doc: Variables; the last one counts.}',
  },
  {
    word: "mapKeys",
    places: ["field"],
    value: fieldNames,
    doc: "With listType map: the fields that identify items.",
    example: 'ports: {type: "[]Port", number: 1, listType: map, mapKeys: [port, protocol], doc: Ports to open.}',
  },
  {
    word: "mapType",
    places: ["field"],
    value: word("atomic", "granular"),
    doc: "How server-side apply merges a map.",
    example: "selector: {type: map<string>, number: 2, mapType: atomic, doc: Labels of the pods.}",
  },
  {
    word: "patchStrategy",
    places: ["field"],
    value: word("merge", "replace", "retainKeys", "merge,retainKeys"),
    doc: "How a strategic merge patch merges the field.",
    example: 'ports: {type: "[]Port", number: 1, patchStrategy: merge, mergeKey: port, doc: Ports to open.}',
  },
  {
    word: "mergeKey",
    places: ["field"],
    value: fieldName,
    doc: "With patchStrategy merge: the field that identifies items.",
    example: 'ports: {type: "[]Port", number: 1, patchStrategy: merge, mergeKey: port, doc: Ports to open.}',
  },
]

/** All keywords of a field, and the keys of a type that hold fields. */
export const fieldKeywords: readonly Keyword[] = [...structure, ...values, ...references, ...limits, ...failures, ...merging]

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
    value: { form: "toldPath" },
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
    doc: "Groups of fields of which at most one is set; a second one is FieldValueForbidden.",
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
