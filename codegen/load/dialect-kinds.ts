/**
 * Keywords of a kind file besides its fields: identity, names, storage, versions and what clients see. Part of
 * the table in dialect.ts.
 */
import { featureGateNames } from "../../runtime/base/feature-gates.ts"
import { lifeCycleKeywords, subresourceKeywords } from "./dialect-life-cycle.ts"
import type { Keyword } from "./keyword.ts"
import { boolean, expression, identifier, path, text, word } from "./value-forms.ts"

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]

const identity: readonly Keyword[] = [
  {
    word: "kind",
    places: ["kind"],
    value: identifier,
    required: true,
    doc: "Name of the kind. Makes the file a kind file; without it the file holds shared types only.",
    example: "kind: Pod",
  },
  {
    word: "group",
    places: ["kind", "shared"],
    value: text,
    doc: "API group, neutral; the empty text is the core group. Agrees with the folder and is required in a kind file.",
    example: "group: events.orch.io",
  },
  {
    word: "version",
    places: ["kind", "shared"],
    value: text,
    doc: "API version. Agrees with the folder and is required in a kind file.",
    example: "version: v1",
  },
  {
    word: "doc",
    places: ["kind", "shared", "type", "field", "column"],
    value: text,
    doc: "What it is, in a sentence of your own: begins with a capital letter, ends with a full stop. Required for kinds, types and fields.",
    example: "doc: Containers that run together on one node.",
  },
  {
    word: "scope",
    places: ["kind"],
    value: word("Namespaced", "Cluster"),
    required: true,
    doc: "Whether objects live in a namespace or once in the cluster.",
    example: "scope: Namespaced",
  },
  {
    word: "names",
    places: ["kind"],
    value: { form: "block", place: "names" },
    required: true,
    doc: "The names of the resource, in paths and for people.",
    example: "names: {plural: pods, short: [po], categories: [all]}",
  },
  {
    word: "verbs",
    places: ["kind"],
    value: { form: "list", of: { form: "word", words: verbs } },
    doc: "What clients may do. Default: all eight.",
    example: "verbs: [create]",
  },
  {
    word: "served",
    places: ["kind"],
    value: boolean,
    doc: "false: clients cannot use this version; objects stored in it are still read and converted. Default: true.",
    example: "served: false",
  },
  {
    word: "optional",
    places: ["kind"],
    value: {
      form: "either",
      of: [
        { form: "word", words: [true] },
        { form: "block", place: "optional" },
      ],
    },
    doc: "The version is off unless the operator turns it on with --runtime-config=group/version=true.",
    example: "optional: true",
  },
  {
    word: "gate",
    places: ["optional"],
    value: word(...featureGateNames),
    required: true,
    doc: "A gate of --feature-gates that has to be on as well.",
    example: "optional: {gate: VolumeAttributesClass}",
  },
  {
    word: "deprecated",
    places: ["kind"],
    value: {
      form: "either",
      of: [
        { form: "word", words: [true] },
        { form: "block", place: "deprecation" },
      ],
    },
    doc: "Every answer of this version has a Warning header: it names the newest version that is served and not deprecated, or says the text of warning.",
    example: "deprecated: {warning: kitchen.example.com/v1beta1 Kettle is deprecated; use v1 before June.}",
  },
  {
    word: "warning",
    places: ["deprecation"],
    value: text,
    required: true,
    doc: "The text of the Warning header.",
    example: "deprecated: {warning: kitchen.example.com/v1beta1 Kettle is deprecated; use v1 before June.}",
  },
  {
    word: "postsTo",
    places: ["kind"],
    value: { form: "text" },
    doc: "The kind is not stored: a POST of this kind is one to that sub-resource of the object that metadata.name of the body names. With verbs: [create] only.",
    example: "postsTo: pods/binding",
  },
  {
    word: "answeredBy",
    places: ["kind"],
    value: { form: "text" },
    doc: "The kind is not stored: this function of the behaviours answers. With verbs: [create] a POST, with an object of the kind; with verbs: [get, list] reads, whose objects it computes.",
    example: "answeredBy: kettleAdvice",
  },
  {
    word: "storage",
    places: ["kind"],
    value: { form: "block", place: "storage" },
    doc: "Where and how objects are stored.",
    example: "storage: {path: services/specs}",
  },
  {
    word: "conversion",
    places: ["kind"],
    value: { form: "block", place: "conversion" },
    doc: "How this version converts to the stored one (storage.sharedWith). Fields of the same name and type carry over by themselves.",
    example: "conversion: {rename: {regarding: involvedObject}}",
  },
  {
    word: "types",
    places: ["kind", "shared"],
    value: { form: "map", of: { form: "block", place: "type" } },
    doc: "Further types; any file may use them by name.",
    example: "types:\n  KettleSpec:\n    doc: What the kettle should do.\n    fields: {}",
  },
]

const names: readonly Keyword[] = [
  {
    word: "plural",
    places: ["names"],
    value: text,
    required: true,
    doc: "The resource: the word in URLs. Small letters.",
    example: "names: {plural: pods}",
  },
  {
    word: "singular",
    places: ["names"],
    value: text,
    doc: "Default: the kind in small letters.",
    example: "names: {plural: endpoints, singular: endpoints}",
  },
  {
    word: "list",
    places: ["names"],
    value: identifier,
    doc: "Kind of a list. Default: the kind followed by List.",
    example: "names: {plural: kettles, list: KettleList}",
  },
  {
    word: "short",
    places: ["names"],
    value: { form: "list", of: text },
    doc: "Short names that clients accept for the plural.",
    example: "names: {plural: pods, short: [po]}",
  },
  {
    word: "categories",
    places: ["names"],
    value: { form: "list", of: text },
    doc: "Groups of resources that clients list together.",
    example: "names: {plural: pods, categories: [all]}",
  },
  {
    word: "rule",
    places: ["names"],
    value: word("path-segment", "dns-subdomain", "dns-label", "dns1035-label"),
    doc: "What metadata.name may look like. Default: dns-subdomain.",
    example: "names: {plural: services, rule: dns1035-label}",
  },
]

const storage: readonly Keyword[] = [
  {
    word: "path",
    places: ["storage"],
    value: text,
    doc: "Store path below the prefix. Default: the path of the kind named by sharedWith, or the plural, below the group for groups of one's own.",
    example: "storage: {path: services/specs}",
  },
  {
    word: "sharedWith",
    places: ["storage"],
    value: { form: "kindReference" },
    doc: "The stored form when it is not this version: another version or kind with the same objects.",
    example: "storage: {sharedWith: core/v1 Event}",
  },
  {
    word: "ttl",
    places: ["storage"],
    value: identifier,
    doc: "The server option that holds the time to live; every write restarts it.",
    example: "storage: {ttl: event-ttl}",
  },
  {
    word: "cached",
    places: ["storage"],
    value: boolean,
    doc: "false: no watch cache, reads come from the store, unless --watch-cache-sizes names the resource. Default: true.",
    example: "storage: {cached: false}",
  },
  {
    word: "hashedVersion",
    places: ["storage"],
    value: text,
    doc: "The version that discovery hashes into storageVersionHash, where a client expects another than the stored one.",
    example: "storage: {hashedVersion: v1beta1}",
  },
  {
    word: "rename",
    places: ["conversion"],
    value: { form: "map", of: path },
    doc: "Fields called differently in the stored form: path here, path there.",
    example: "conversion: {rename: {note: message}}",
  },
  {
    word: "behaviour",
    places: ["conversion"],
    value: identifier,
    doc: "A named conversion of runtime/behaviours/ for what renaming cannot express.",
    example: "conversion: {behaviour: horizontalPodAutoscaler}",
  },
]

const views: readonly Keyword[] = [
  {
    word: "selectable",
    places: ["kind"],
    value: { form: "list", of: { form: "either", of: [path, { form: "block", place: "selectable" }] } },
    doc: "Fields that field selectors may name, beyond metadata.name and metadata.namespace. Evaluated on the stored form.",
    example: "selectable: [spec.nodeName, {name: reason, value: reason}]",
  },
  {
    word: "notSelectable",
    places: ["kind"],
    value: text,
    doc: "The message for a field selector that names another field, in which {field} is its name. Default: field label not supported: {field}.",
    example: "notSelectable: 'kettles know no field \"{field}\"'",
  },
  {
    word: "name",
    places: ["selectable"],
    value: text,
    required: true,
    doc: "The field as clients write it.",
    example: "selectable: [{name: spec.unschedulable, value: string(spec.unschedulable)}]",
  },
  {
    word: "value",
    places: ["selectable"],
    value: expression,
    required: true,
    doc: "The field's text, as an expression over the stored object.",
    example: "selectable: [{name: source, value: source.component ?? reportingComponent}]",
  },
  {
    word: "columns",
    places: ["kind"],
    value: { form: "list", of: { form: "block", place: "column" } },
    doc: "Columns of the Table. Without any: Name and Created At.",
    example: "columns:\n  - {name: Name, type: string, format: name, value: metadata.name}",
  },
  {
    word: "name",
    places: ["column"],
    value: text,
    required: true,
    doc: "Heading of the column.",
    example: "columns: [{name: Age, type: string, value: age(metadata.creationTimestamp)}]",
  },
  {
    word: "type",
    places: ["column"],
    value: word("string", "integer", "number", "boolean", "date"),
    required: true,
    doc: "What the cells hold.",
    example: "columns: [{name: Desired, type: integer, value: spec.replicas ?? 0}]",
  },
  {
    word: "format",
    places: ["column"],
    value: text,
    doc: "A hint for clients; name marks the object's name.",
    example: "columns: [{name: Name, type: string, format: name, value: metadata.name}]",
  },
  {
    word: "priority",
    places: ["column"],
    value: { form: "integer", minimum: 0, maximum: 1000 },
    doc: "0 is always shown; larger ones only in the wide view. Default: 0.",
    example: "columns: [{name: Node, type: string, priority: 1, value: spec.nodeName}]",
  },
  {
    word: "value",
    places: ["column"],
    value: expression,
    required: true,
    doc: "The cell, as an expression over the object.",
    example: 'columns: [{name: Node, type: string, value: spec.nodeName ?? "<none>"}]',
  },
  {
    word: "completed",
    places: ["kind"],
    value: { form: "list", of: { form: "block", place: "completed" } },
    doc: "Conditions (when, text) under which a row of the Table shows its object as completed. Clients may show such rows paler.",
    example: "completed:\n  - {when: status.phase == 'Succeeded', as: Succeeded, text: All containers ended well.}",
  },
  {
    word: "rowOrder",
    places: ["kind"],
    value: path,
    doc: "A number by which the rows of a Table of several objects are sorted, the lowest first. Other lists keep the order of the names.",
    example: "rowOrder: spec.litres",
  },
  {
    word: "as",
    places: ["completed"],
    value: text,
    required: true,
    doc: "The reason that the row gives, in one word.",
    example: "completed: [{when: status.phase == 'Failed', as: Failed, text: A container failed.}]",
  },
]

export const kindKeywords: readonly Keyword[] = [...identity, ...names, ...storage, ...views, ...subresourceKeywords, ...lifeCycleKeywords]
