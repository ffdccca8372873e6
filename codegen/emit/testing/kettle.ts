/** A small set of schemas that uses every part of the emitters, for their tests. */
import { load } from "../../load/index.ts"
import type { Model } from "../../../model/model.ts"

const objectMeta = `
group: meta
version: v1
types:
  ObjectMeta:
    doc: What every object carries.
    fields:
      name: {type: string, number: 1, doc: Names the object.}
      creationTimestamp: {type: Time, number: 8, keepEmpty: true, doc: When it was made.}
      labels: {type: map<string>, number: 11, doc: Pairs that selectors match., keys: {format: qualified-name}, values: {format: label-value}}
`

const parts = `
group: kitchen.example.com
version: v1
types:
  Part:
    doc: A part of a kettle.
    fields:
      name: {type: string, number: 1, keepEmpty: true, required: published, nonEmpty: true, format: dns-label, doc: Names the part.}
      count: {type: int32, number: 2, minimum: 1, maximum: 9, default: 1, doc: How many there are.}
      material: {type: string, number: 3, enum: [steel, glass], doc: What it is made of.}
      spare: {type: Part, number: 4, pointer: true, doc: A part to replace this one with.}
    rules:
      - {rule: "material != 'glass' || count <= 2", at: count, message: "only 2 of glass, not {{count}}"}
  Source:
    doc: Where water comes from.
    fields:
      tap: {type: string, number: 1, doc: Name of a tap.}
      well: {type: string, number: 2, doc: Name of a well.}
    oneOf: [{fields: [tap, well], required: true}]
`

const kettle = `
kind: Kettle
group: kitchen.example.com
version: v1
scope: Namespaced
names: {plural: kettles, singular: kettle, short: [kt], categories: [all]}
doc: Boils water.
selectable: [spec.on]
subresources:
  status: {keeps: [spec]}
create: {drops: [status]}
update: {keeps: [status], generation: [spec]}
columns:
  - {name: Name, type: string, format: name, doc: Name of the kettle., value: metadata.name}
  - {name: Litres, type: integer, doc: How much it holds., value: spec.litres}
  - {name: Parts, type: string, doc: Its parts., value: "spec.parts.map(part, part.name).join(',')"}
  - {name: Lid, type: string, doc: What its lid is made of., value: "spec.lid.material == '' ? 'unknown' : 'known'"}
  - {name: Age, type: string, priority: 1, doc: Time since it was made., value: age(metadata.creationTimestamp)}
warnings:
  - {when: spec.litres > 5, at: spec.litres, text: "{{spec.litres}} litres are heavy"}
fields:
  spec: {type: KettleSpec, number: 2, doc: What it should do.}
  status: {type: KettleStatus, number: 3, doc: What it does.}
types:
  KettleSpec:
    doc: What a kettle should do.
    fields:
      litres: {type: int32, number: 1, minimum: 1, keepEmpty: true, required: published, doc: How much water it holds.}
      on: {type: boolean, number: 2, doc: Whether it is switched on.}
      power: {type: Quantity, number: 3, pointer: true, doc: How strong it is.}
      serial: {type: string, number: 4, immutable: once-set, doc: Number of the maker.}
      parts: {type: "[]Part", number: 5, listType: map, mapKeys: [name], patchStrategy: merge, mergeKey: name, unique: [name], maxItems: 3, doc: What it is made of.}
      Source: {type: Source, number: 6, protoName: source, inline: true, doc: Where water comes from.}
      notes: {type: map<string>, number: 7, keys: {format: data-key}, doc: Remarks by topic.}
      mode: {type: string, number: 8, pointer: true, enum: [slow, fast], doc: How it heats.}
      lid: {type: Part, number: 9, pointer: true, doc: What closes it.}
    defaults:
      - {set: mode, to: "litres > 2 ? 'slow' : 'fast'"}
    rules:
      - {rule: "lid.material != ''", at: lid.material, message: must be known}
      - {rule: litres >= oldSelf.litres, on: update, at: litres, reason: Forbidden, message: may not shrink}
  KettleStatus:
    doc: What a kettle does.
    fields:
      temperature: {type: int32, number: 1, doc: Degrees.}
`

/** The schema texts by path. */
export const kettleSchemas: ReadonlyMap<string, string> = new Map([
  ["meta/v1/object-meta.yaml", objectMeta],
  ["kitchen.example.com/v1/shared/parts.yaml", parts],
  ["kitchen.example.com/v1/kettle.yaml", kettle],
])

/** Their model. Throws with the diagnostics when they are wrong. */
export function kettleModel(): Model {
  const loaded = load(kettleSchemas)
  if ("diagnostics" in loaded) throw new Error(JSON.stringify(loaded.diagnostics))
  return loaded.model
}
