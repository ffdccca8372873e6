/** Functions of strings: `contains`, `startsWith`, `endsWith`, `matches`. */
import { Pattern, PatternFault, patternOf } from "../../runtime/base/pattern.ts"
import type { FunctionDeclaration } from "../declaration.ts"
import { boolType, stringType } from "../types/type.ts"
import { noSuchOverload } from "../values/error.ts"
import type { Result, Value } from "../values/value.ts"
import { unsupported } from "./arithmetic.ts"
import { searched } from "./search.ts"

function search(name: string, word: string, found: (text: string, part: string) => boolean): FunctionDeclaration {
  const impl = (text: Value, part: Value): Result =>
    typeof text === "string" && typeof part === "string" ? found(text, part) : noSuchOverload()
  const args = [stringType, stringType]
  return { name, overloads: [{ id: word, member: true, args, result: boolType, impl, unguarded: true }] }
}

/** Whether a pattern is valid RE2, and not too large. */
export function isPattern(pattern: string): boolean {
  return patternOf(pattern) instanceof Pattern
}

function matches(text: Value, pattern: Value): Result {
  if (typeof text !== "string") return unsupported("matches", text)
  if (typeof pattern !== "string") return noSuchOverload()
  return searched(pattern, (found) => found.test(text), "")
}

/** A constant pattern is compiled once. */
function specialize([, pattern]: readonly (Value | undefined)[]): ReturnType<NonNullable<Specialize>> {
  if (typeof pattern !== "string") return undefined
  const found = patternOf(pattern)
  if (found instanceof PatternFault) return { fault: found.message }
  return (text) => (typeof text === "string" ? searched(pattern, (known) => known.test(text), "") : noSuchOverload())
}
type Specialize = FunctionDeclaration["overloads"][number]["specialize"]

export const text: readonly FunctionDeclaration[] = [
  search("contains", "contains_string", (whole, part) => whole.includes(part)),
  search("endsWith", "ends_with_string", (whole, part) => whole.endsWith(part)),
  search("startsWith", "starts_with_string", (whole, part) => whole.startsWith(part)),
  {
    name: "matches",
    impl: matches,
    overloads: [
      { id: "matches", args: [stringType, stringType], result: boolType, specialize },
      { id: "matches_string", member: true, args: [stringType, stringType], result: boolType, specialize },
    ],
  },
]
