/** Functions of strings: `contains`, `startsWith`, `endsWith`, `matches`. */
import { RE2JS } from "re2js"
import type { FunctionDeclaration } from "../declaration.ts"
import { boolType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import type { Result, Value } from "../values/value.ts"
import { unsupported } from "./arithmetic.ts"

function search(name: string, word: string, found: (text: string, part: string) => boolean): FunctionDeclaration {
  const impl = (text: Value, part: Value): Result =>
    typeof text === "string" && typeof part === "string" ? found(text, part) : noSuchOverload()
  const args = [stringType, stringType]
  return { name, overloads: [{ id: word, member: true, args, result: boolType, impl, unguarded: true }] }
}

/** A pattern ready to be searched for, or why it is none. */
function compiled(pattern: string): RE2JS | { readonly fault: string } {
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Whether a pattern is one of RE2, which compiles in time and matches in linear time. */
export function isPattern(pattern: string): boolean {
  return compiled(pattern) instanceof RE2JS
}

function matches(text: Value, pattern: Value): Result {
  if (typeof text !== "string") return unsupported("matches", text)
  if (typeof pattern !== "string") return noSuchOverload()
  const expression = compiled(pattern)
  return expression instanceof RE2JS ? expression.test(text) : errorOf(expression.fault)
}

/** A constant pattern is compiled once. */
function specialize([, pattern]: readonly (Value | undefined)[]): ReturnType<NonNullable<Specialize>> {
  if (typeof pattern !== "string") return undefined
  const expression = compiled(pattern)
  if (!(expression instanceof RE2JS)) return expression
  return (text) => (typeof text === "string" ? expression.test(text) : noSuchOverload())
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
