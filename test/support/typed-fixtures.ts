/** Types for the tests of this folder: one field for every way in which a value can be owned. */
import type { FieldShape, TypeShape } from "../../runtime/schema/shape.ts"

const string = { scalar: "string" } as const
const number = { scalar: "int64" } as const

/** The facts that a later version of a schema may change. */
interface Facts {
  readonly granular: "atomic" | "granular"
  readonly atomic: "atomic" | "granular"
  readonly set: "set" | "atomic"
  readonly list: "set" | "atomic"
}

/** The type of most tests. */
export const exampleShape = shapeWith({ granular: "granular", atomic: "atomic", set: "set", list: "atomic" })

/** The same type after a schema change: granular became atomic, and vice versa. */
export const changedShape = shapeWith({ granular: "atomic", atomic: "granular", set: "atomic", list: "set" })

function shapeWith(facts: Facts): TypeShape {
  const names: FieldShape = { name: "names", type: { list: string }, listType: facts.set }
  const labels: FieldShape = { name: "labels", type: { map: string }, mapType: facts.granular }
  const text: FieldShape = { name: "text", type: string }
  const child: TypeShape = {
    name: "test.v1.Child",
    fields: [text, labels, { name: "child", type: { ref: () => child }, structType: facts.granular }],
  }
  const ports: FieldShape = { name: "ports", type: { list: { ref: () => port } }, listType: "map", mapKeys: ["port", "protocol"] }
  const port: TypeShape = {
    name: "test.v1.Port",
    fields: [{ name: "port", type: number }, { name: "protocol", type: string, default: "TCP" }, text, names, ports],
  }
  const open: TypeShape = { name: "test.v1.Open", fields: [text], preserveUnknown: true }
  return {
    name: "test.v1.Example",
    fields: [
      text,
      { name: "count", type: number },
      { name: "flag", type: { scalar: "boolean" } },
      { name: "any", type: { scalar: "IntOrString" } },
      labels,
      { name: "frozen", type: { map: string }, mapType: facts.atomic },
      { name: "items", type: { list: string }, listType: facts.list },
      names,
      { name: "numbers", type: { list: number }, listType: "set" },
      ports,
      { name: "child", type: { ref: () => child }, structType: facts.granular },
      { name: "whole", type: { ref: () => child }, structType: facts.atomic },
      { name: "children", type: { map: { ref: () => child } } },
      { name: "lists", type: { map: { list: string } } },
      { name: "free", type: { scalar: "any" } },
      { name: "raw", type: { scalar: "RawExtension" } },
      { name: "open", type: { ref: () => open } },
    ],
  }
}
