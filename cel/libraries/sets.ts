/** The sets library: lists read as sets. */
import type { FunctionDeclaration, Library } from "../declaration.ts"
import { boolType, listType, paramType } from "../types/type.ts"
import type { Value } from "../values/value.ts"
import { comparingLists } from "./costs.ts"
import { Members } from "./members.ts"
import { overElements } from "./narrow.ts"

const list = listType(paramType("T"))

type Decide = (one: readonly Value[], other: readonly Value[]) => boolean

function declare(name: string, factor: number, decide: Decide): FunctionDeclaration {
  return {
    name: `sets.${name}`,
    ...comparingLists(factor),
    overloads: [
      {
        id: `list_sets_${name}_list`,
        args: [list, list],
        result: boolType,
        impl: (one, other) => overElements(one, (first) => overElements(other, (second) => decide(first, second))),
      },
    ],
  }
}

function contains(one: readonly Value[], other: readonly Value[]): boolean {
  const members = new Members(one)
  return other.every((value) => members.has(value))
}

function intersects(one: readonly Value[], other: readonly Value[]): boolean {
  const members = new Members(other)
  return one.some((value) => members.has(value))
}

export const setsLibrary: Library = {
  name: "cel.lib.ext.sets",
  functions: [
    declare("contains", 1, contains),
    declare("equivalent", 2, (one, other) => contains(one, other) && contains(other, one)),
    declare("intersects", 1, intersects),
  ],
}
