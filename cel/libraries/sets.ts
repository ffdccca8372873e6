/** The sets library: lists read as sets. */
import { boolType, type FunctionDeclaration, type Library, type ListValue, listType, paramType } from "../index.ts"
import { comparingLists } from "./costs.ts"
import { Members } from "./members.ts"
import { elementsOf } from "./narrow.ts"

const list = listType(paramType("T"))

function declare(name: string, factor: number, decide: (one: ListValue, other: ListValue) => boolean): FunctionDeclaration {
  return {
    name: `sets.${name}`,
    ...comparingLists(factor),
    overloads: [
      {
        id: `list_sets_${name}_list`,
        args: [list, list],
        result: boolType,
        impl: (one, other) => decide(elementsOf(one), elementsOf(other)),
      },
    ],
  }
}

function contains(one: ListValue, other: ListValue): boolean {
  const members = new Members(one)
  return other.toArray().every((value) => members.has(value))
}

function intersects(one: ListValue, other: ListValue): boolean {
  const members = new Members(other)
  return one.toArray().some((value) => members.has(value))
}

export const setsLibrary: Library = {
  name: "cel.lib.ext.sets",
  functions: [
    declare("contains", 1, contains),
    declare("equivalent", 2, (one, other) => contains(one, other) && contains(other, one)),
    declare("intersects", 1, intersects),
  ],
}
