/** Values that may be absent: `optional.of(x)`, `a.?b.orValue(c)`, `[?x]`, `{?k: v}`. */
import type { FunctionDeclaration, Library } from "../declaration.ts"
import type { Expr } from "../syntax/expr.ts"
import type { Macro, MacroHelper } from "../syntax/macro.ts"
import { boolType, dynType, intType, listType, mapType, optionalType, paramType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import { secondsMin } from "../values/timestamp-text.ts"
import { typeOf } from "../values/type-of.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { Double, ListValue, MapValue, OpaqueValue, OptionalValue, type Result, Uint, type Value } from "../values/value.ts"

const paramK = paramType("K")
const paramV = paramType("V")
const optionalV = optionalType(paramV)
const listV = listType(paramV)
const mapKV = mapType(paramK, paramV)
const absent = errorOf("optional.none() dereference")

/** Whether a value is its type's zero value: 0, "", false, null, or empty. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === "") return true
  if (value instanceof Double) return value.value === 0
  if (value instanceof Uint) return value.value === 0
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Timestamp) return value.seconds === secondsMin && value.nanos === 0
  if (value instanceof Duration) return value.nanos === 0n
  return value instanceof OpaqueValue && value.zero
}

function valueOf(optional: Value): Result {
  if (!(optional instanceof OptionalValue)) return noSuchOverload(`value(${typeOf(optional).name})`)
  return optional.value === undefined ? absent : optional.value
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "optional.of",
    overloads: [{ id: "optional_of", args: [paramV], result: optionalV, impl: (value) => new OptionalValue(value) }],
  },
  {
    name: "optional.ofNonZeroValue",
    overloads: [
      {
        id: "optional_ofNonZeroValue",
        args: [paramV],
        result: optionalV,
        impl: (value = null) => (isZero(value) ? OptionalValue.none : new OptionalValue(value)),
      },
    ],
  },
  {
    name: "optional.none",
    overloads: [{ id: "optional_none", args: [], result: optionalV, impl: () => OptionalValue.none }],
  },
  {
    name: "value",
    overloads: [{ id: "optional_value", member: true, args: [optionalV], result: paramV, impl: (one = null) => valueOf(one) }],
  },
  {
    name: "hasValue",
    overloads: [
      {
        id: "optional_hasValue",
        member: true,
        args: [optionalV],
        result: boolType,
        impl: (one) => one instanceof OptionalValue && one.value !== undefined,
      },
    ],
  },
  // The compiler evaluates the rest itself: they skip their second operand, or unwrap a value.
  { name: "or", overloads: [{ id: "optional_or_optional", member: true, args: [optionalV, optionalV], result: optionalV }] },
  { name: "orValue", overloads: [{ id: "optional_orValue_value", member: true, args: [optionalV, paramV], result: paramV }] },
  { name: "_?._", overloads: [{ id: "select_optional_field", args: [dynType, stringType], result: optionalV }] },
  {
    name: "_[?_]",
    overloads: [
      { id: "list_optindex_optional_int", args: [listV, intType], result: optionalV },
      { id: "optional_list_optindex_optional_int", args: [optionalType(listV), intType], result: optionalV },
      { id: "map_optindex_optional_value", args: [mapKV, paramK], result: optionalV },
      { id: "optional_map_optindex_optional_value", args: [optionalType(mapKV), paramK], result: optionalV },
    ],
  },
  {
    name: "_[_]",
    overloads: [
      { id: "optional_list_index_int", args: [optionalType(listV), intType], result: optionalV },
      { id: "optional_map_index_value", args: [optionalType(mapKV), paramK], result: optionalV },
    ],
  },
]

function mapping(name: string, wrap: (helper: MacroHelper, mapped: Expr) => Expr): Macro {
  return {
    name,
    receiver: true,
    arity: 2,
    expand(helper, target, [variable, transform]) {
      if (target === undefined || variable === undefined || transform === undefined) return undefined
      if (variable.kind !== "ident") {
        return helper.fail(variable, `${name}() variable name must be a simple identifier`)
      }
      const mapped = (): Expr =>
        helper.fold({
          iterVar: "#unused",
          range: helper.list(),
          accuVar: variable.name,
          init: helper.memberCall("value", target),
          condition: helper.constant({ type: "bool", value: false }),
          step: helper.ident(variable.name),
          result: transform,
        })
      const present = helper.memberCall("hasValue", target)
      return helper.call("_?_:_", present, wrap(helper, mapped()), helper.call("optional.none"))
    },
  }
}

export const optionalLibrary: Library = {
  name: "optional",
  optionalSyntax: true,
  functions,
  macros: [mapping("optMap", (helper, mapped) => helper.call("optional.of", mapped)), mapping("optFlatMap", (_helper, mapped) => mapped)],
  types: [optionalType(paramV)],
}
