import { describe, expect, it } from "vitest"
import { compactFault } from "./compact-form.ts"
import type { FieldShape, TypeShape } from "./shape.ts"
import { compareForms, shapeOfForm, storedForm } from "./stored-shape.ts"

const cup = { group: "kitchen.example.com", version: "v1", kind: "Cup" }
const text = { scalar: "string" } as const

function shapeWith(...fields: FieldShape[]): TypeShape {
  const spec: TypeShape = { name: "test.v1.Spec", fields }
  return {
    name: "test.v1.Cup",
    fields: [
      { name: "kind", type: text },
      { name: "spec", type: { ref: () => spec }, number: 2 },
    ],
  }
}

function form(...fields: FieldShape[]) {
  return storedForm(cup, shapeWith(...fields), true)
}

function json(...fields: FieldShape[]) {
  return storedForm(cup, shapeWith(...fields), false)
}

const size: FieldShape = { name: "size", type: { scalar: "int32" }, number: 1 }
const color: FieldShape = { name: "color", type: text, number: 2 }

describe("compareForms", () => {
  const faults: readonly [string, FieldShape[], FieldShape[], object][] = [
    [
      "a number with another name",
      [size],
      [{ ...size, name: "width" }],
      { path: "spec.size", wrote: 'number 1, "int32 size"', reads: '"int32 width"' },
    ],
    ["a number with another type", [size], [{ ...size, type: text }], { path: "spec.size", reads: '"string size"' }],
    [
      "two numbers that were exchanged",
      [size, color],
      [
        { ...size, number: 2 },
        { ...color, number: 1 },
      ],
      { path: "spec.size" },
    ],
    ["a field with another number", [size], [{ ...size, number: 7 }], { path: "spec.size", reads: "number 7" }],
    ["a pointer that reads zeros as present", [size], [{ ...size, pointer: true }], { path: "spec.size", reads: '"*int32 size"' }],
    [
      "items of another type",
      [{ ...size, type: { list: text } }],
      [{ ...size, type: { list: { scalar: "bytes" } } }],
      { path: "spec.size" },
    ],
  ]
  it.each(faults)("finds %s", (_name, before, now, fault) => {
    expect(compareForms(form(...before), form(...now))).toMatchObject({ fault })
  })

  const readable: readonly [string, FieldShape[], FieldShape[]][] = [
    ["the same fields", [size, color], [color, size]],
    ["a field that was added", [size], [size, color]],
    ["a wider number", [size], [{ ...size, type: { scalar: "int64" } }]],
    ["a pointer that is none any more", [{ ...size, pointer: true }], [size]],
  ]
  it.each(readable)("accepts %s", (_name, before, now) => {
    expect(compareForms(form(...before), form(...now))).toEqual({ messages: form(...now).messages })
  })

  it("finds a number that is gone, which compact values still have", () => {
    const { number: _number, ...unnumbered } = size
    expect(compareForms(form(size), form(unnumbered))).toMatchObject({ fault: { path: "spec.size", reads: "no number" } })
    expect(compareForms(json(size), json(unnumbered))).toHaveProperty("messages")
  })

  it("looks into the items of lists and maps, whose type keeps its name", () => {
    const items = (around: "list" | "map", ...fields: FieldShape[]): FieldShape => {
      const type = { ref: () => ({ name: "test.v1.Item", fields }) }
      return { name: "items", type: around === "list" ? { list: type } : { map: type }, number: 1 }
    }
    for (const around of ["list", "map"] as const)
      expect(compareForms(form(items(around, size)), form(items(around, { ...color, number: 1 })))).toMatchObject({
        fault: { path: "spec.items[].size" },
      })
  })

  it("finds fields that moved into or out of an inline type, and inline types that moved", () => {
    const inline = (number: number, ...fields: FieldShape[]): FieldShape => ({
      name: "inner",
      type: { ref: () => ({ name: "test.v1.Inner", fields }) },
      number,
      inline: true,
    })
    expect(compareForms(form(inline(2, size)), form(inline(3, size)))).toMatchObject({ fault: { path: "spec.size", reads: "number 1" } })
    expect(compareForms(form(size), form(inline(2, size)))).toMatchObject({ fault: { path: "spec.size" } })
    expect(compareForms(form(inline(2, size, color)), form(inline(2, color), { ...size, number: 9 }))).toMatchObject({
      fault: { path: "spec.size", reads: "number 9" },
    })
    expect(compareForms(form(inline(2, size)), form(inline(2, size, color)))).toHaveProperty("messages")
  })

  const jsonFaults: readonly [string, FieldShape, FieldShape][] = [
    ["a text that would be a number", { ...size, type: text }, size],
    ["a list that would be a map", { ...size, type: { list: text } }, { ...size, type: { map: text } }],
    ["items of another type", { ...size, type: { list: { list: text } } }, { ...size, type: { list: { list: { scalar: "int32" } } } }],
  ]
  it.each(jsonFaults)("finds %s in JSON values, which have no numbers", (_name, before, now) => {
    expect(compareForms(json(before), json({ ...now, number: 9 }))).toMatchObject({ fault: { path: expect.stringContaining("spec.size") } })
  })

  const jsonReadable: readonly [string, FieldShape, FieldShape][] = [
    ["another number", size, { ...size, number: 5 }],
    ["a whole number that becomes any number", size, { ...size, type: { scalar: "double" } }],
    ["a named list", { ...size, type: { list: text } }, { ...size, type: { wrappedList: text } }],
    ["a struct that becomes any object", { ...size, type: { ref: () => shapeWith() } }, { ...size, type: { scalar: "RawExtension" } }],
    ["a pointer", size, { ...size, pointer: true }],
  ]
  it.each(jsonReadable)("accepts %s in JSON values", (_name, before, now) => {
    expect(compareForms(json(before), json(now))).toHaveProperty("messages")
  })

  it("remembers the type of a removed field of JSON values", () => {
    const compared = compareForms(json(size, color), json(size))
    if ("fault" in compared) throw new Error("it is readable")
    const later = { ...json(size), messages: compared.messages }
    expect(compareForms(later, json(size, { ...color, type: { scalar: "int32" } }))).toMatchObject({ fault: { path: "spec.color" } })
    expect(compareForms(later, json(size, { ...color, number: 7 }))).toHaveProperty("messages")
  })

  it("remembers the number of a removed field, which no other field may have", () => {
    const inner: TypeShape = { name: "test.v1.Inner", fields: [size] }
    const removed: FieldShape = { name: "inner", type: { list: { ref: () => inner } }, number: 3 }
    const compared = compareForms(form(size, removed), form(size))
    if ("fault" in compared) throw new Error("it is readable")
    expect(compared.messages["test.v1.Spec"]).toEqual({ 1: "int32 size", 3: "[]test.v1.Inner inner" })
    expect(compared.messages["test.v1.Inner"]).toEqual({ 1: "int32 size" })
    const later = { ...form(size), messages: compared.messages }
    expect(compareForms(later, form(size, { ...color, number: 3 }))).toMatchObject({ fault: { path: "spec.inner" } })
    expect(compareForms(later, form(size, removed))).toHaveProperty("messages")
  })

  it("pairs messages by their place, whatever their names are", () => {
    const renamed: TypeShape = {
      name: "test.v1.Vessel",
      fields: [{ name: "spec", type: { ref: () => ({ name: "test.v1.Other", fields: [size] }) }, number: 2 }],
    }
    expect(compareForms(form(size), storedForm(cup, renamed, true))).toHaveProperty("messages")
  })

  it("gives one fingerprint to one shape, whatever the order of its fields is", () => {
    expect(form(size, color).shape).toBe(form(color, size).shape)
    expect(form(size).shape).not.toBe(form(color).shape)
  })

  it("makes the shape again that a form describes", () => {
    const fields: FieldShape[] = [size, { ...color, pointer: true }, { name: "tags", type: { map: { wrappedList: text } }, number: 3 }]
    const { "test.v1.Cup": root, ...others } = form(...fields).messages
    // The kind is in the envelope.
    const { ".kind": _kind, ...numbered } = root ?? {}
    expect(storedForm(cup, shapeOfForm(form(...fields)), true).messages).toEqual({ "test.v1.Cup": numbered, ...others })
  })
})

describe("compactFault", () => {
  const inexact: readonly [string, FieldShape, string][] = [
    ["a field without a number", { name: "size", type: text }, "spec.size"],
    ["a pointer to a list", { name: "tags", type: { list: text }, number: 1, pointer: true }, "spec.tags"],
    ["a list of lists with names", { name: "rows", type: { list: { wrappedList: text } }, number: 1 }, "spec.rows"],
    ["a list of lists", { name: "rows", type: { list: { list: text } }, number: 1 }, "spec.rows"],
    [
      "unknown fields of an item",
      { name: "free", type: { list: { ref: () => ({ name: "x", fields: [], preserveUnknown: true }) } }, number: 1 },
      "spec.free[]",
    ],
  ]
  it.each(inexact)("finds %s", (_name, field, path) => expect(compactFault(shapeWith(size, field))).toMatchObject({ path }))

  it("accepts what has a number and a form, also when it is recursive", () => {
    const node: TypeShape = { name: "n", fields: [{ name: "next", type: { ref: () => node }, number: 1, pointer: true }] }
    expect(compactFault(shapeWith(size, { name: "node", type: { ref: () => node }, number: 9 }))).toBeUndefined()
  })

  it("accepts a constant without a number, and a map of lists that have a name", () => {
    const claim: TypeShape = { name: "c", fields: [{ name: "kind", type: text, constant: "Claim" }] }
    expect(compactFault(shapeWith(size, { name: "claims", type: { list: { ref: () => claim } }, number: 9 }))).toBeUndefined()
    expect(compactFault(shapeWith(size, { name: "extra", type: { map: { wrappedList: text } }, number: 9 }))).toBeUndefined()
  })
})
