/**
 * Operators that the compiler evaluates itself, because they skip operands or take values apart. They are declared for
 * the checker.
 */
import type { FunctionDeclaration } from "../declaration.ts"
import { boolType, dynType, intType, listType, mapType, paramType, typeType } from "../types/type.ts"
import { noSuchOverload } from "../values/error.ts"
import { typeOf } from "../values/type-of.ts"
import { TypeValue, type Value } from "../values/value.ts"

const paramA = paramType("A")
const paramB = paramType("B")

function not(value: Value): boolean | ReturnType<typeof noSuchOverload> {
  return typeof value === "boolean" ? !value : noSuchOverload()
}

export const logic: readonly FunctionDeclaration[] = [
  { name: "_?_:_", overloads: [{ id: "conditional", args: [boolType, paramA, paramA], result: paramA }] },
  { name: "_&&_", overloads: [{ id: "logical_and", args: [boolType, boolType], result: boolType }] },
  { name: "_||_", overloads: [{ id: "logical_or", args: [boolType, boolType], result: boolType }] },
  { name: "!_", impl: not, overloads: [{ id: "logical_not", args: [boolType], result: boolType }] },
  {
    name: "@not_strictly_false",
    overloads: [{ id: "not_strictly_false", args: [boolType], result: boolType }],
  },
  {
    name: "_[_]",
    overloads: [
      { id: "index_list", args: [listType(paramA), intType], result: paramA },
      { id: "index_map", args: [mapType(paramA, paramB), paramA], result: paramB },
    ],
  },
  {
    name: "type",
    impl: (value) => new TypeValue(typeOf(value ?? null)),
    overloads: [{ id: "type", args: [paramA], result: typeType(paramA) }],
  },
  { name: "dyn", impl: (value) => value ?? null, overloads: [{ id: "to_dyn", args: [paramA], result: dynType }] },
]
