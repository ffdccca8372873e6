/** The regex library: `find` and `findAll`. `matches` belongs to the language. */
import type { Impl, Library, Overload } from "../declaration.ts"
import { intType, listType, stringType } from "../types/type.ts"
import { listOf } from "../values/list.ts"
import type { Result, Value } from "../values/value.ts"
import { costOf } from "./costs.ts"
import { integerOf, textOf } from "./narrow.ts"
import { type Pattern, PatternFault, patternOf } from "../../runtime/base/pattern.ts"
import { searched } from "../standard/search.ts"

type Search = (pattern: Pattern, text: string, limit: Value | undefined) => Result

/** Compiles a constant pattern once, and reports its faults. */
function searching(search: Search): Pick<Overload, "impl" | "specialize"> {
  return {
    impl: (text, source, limit) => {
      return searched(textOf(source), (pattern) => search(pattern, textOf(text), limit))
    },
    specialize: ([, source]): Impl | { readonly fault: string } | undefined => {
      if (typeof source !== "string") return undefined
      const pattern = patternOf(source)
      if (pattern instanceof PatternFault) return { fault: pattern.message }
      return (text, _, limit) => searched(source, (known) => search(known, textOf(text), limit))
    },
  }
}

function findAll(pattern: Pattern, text: string, limit: Value | undefined): Result {
  const most = limit === undefined ? -1 : integerOf(limit)
  return listOf(pattern.all(text, most < 0 ? undefined : Number(most)))
}

export const regexLibrary: Library = {
  name: "k8s.regex",
  functions: [
    {
      name: "find",
      ...costOf("find"),
      overloads: [
        {
          id: "string_find_string",
          member: true,
          args: [stringType, stringType],
          result: stringType,
          ...searching((pattern, text) => pattern.first(text)),
        },
      ],
    },
    {
      name: "findAll",
      ...costOf("findAll"),
      overloads: [
        {
          id: "string_find_all_string",
          member: true,
          args: [stringType, stringType],
          result: listType(stringType),
          ...searching(findAll),
        },
        {
          id: "string_find_all_string_int",
          member: true,
          args: [stringType, stringType, intType],
          result: listType(stringType),
          ...searching(findAll),
        },
      ],
    },
  ],
}
