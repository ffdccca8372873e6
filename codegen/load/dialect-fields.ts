/** Keywords of types and fields: structure, values, references and merging. Part of the table in dialect.ts. */
import { featureGateNames } from "../../runtime/base/feature-gates.ts"
import { limitKeywords } from "./dialect-limits.ts"
import type { Keyword } from "./keyword.ts"
import { boolean, expression, fieldName, fieldNames, word, yes } from "./value-forms.ts"

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
    doc: "true: a value is that of one of the fields, without its name: a text or a list of texts. Its JSON type says which. In the compact encoding the union is a message with all fields.",
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
    value: { form: "either", of: [yes, expression] },
    doc: "Limits, rules and checks that the type of the value states for itself do not apply here, or not while the expression over the fields of the type is true; those beside this word do.",
    example: "template: {type: core.v1.PodTemplateSpec, number: 3, unchecked: true, doc: The pods to make.}",
  },
  {
    word: "selfContained",
    places: ["field"],
    value: yes,
    doc: "On one field of a kind, whose type is a struct: defaults and limits of the value depend on the value alone. Objects share it: a write that leaves it as it was, or brings one that this server knows, neither reads nor checks nor encodes it again.",
    example: "spec: {type: PodSpec, number: 2, selfContained: true, doc: What the pod is to be.}",
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
    word: "gateExempts",
    places: ["field"],
    value: word("status"),
    doc: "Beside a gate, on a field of a status: writes of the status set the field whatever the gate says. All others drop it while the gate is off, unless the rest of the stored object has a field of the gate.",
    example:
      "resize: {type: string, number: 14, gate: InPlacePodVerticalScaling, gateExempts: status, doc: How far a change of resources is.}",
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
export const fieldKeywords: readonly Keyword[] = [...structure, ...values, ...references, ...limitKeywords, ...merging]
