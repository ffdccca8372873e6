/** Words of CEL, JavaScript, Python and JSONPath that authors write, and the dialect's words for them. */
import { nearest } from "../../runtime/base/nearest.ts"
import { expressionFunctions, macros, usage } from "./functions.ts"

interface Habit {
  readonly expected: string
  readonly nearest?: string
}

const operators: Readonly<Record<string, Habit>> = {
  and: { expected: "&&", nearest: "&&" },
  or: { expected: "||", nearest: "||" },
  is: { expected: "==", nearest: "==" },
  eq: { expected: "==", nearest: "==" },
  ne: { expected: "!=", nearest: "!=" },
  lt: { expected: "<", nearest: "<" },
  le: { expected: "<=", nearest: "<=" },
  gt: { expected: ">", nearest: ">" },
  ge: { expected: ">=", nearest: ">=" },
  not: { expected: "!(a in b)", nearest: "!" },
  mod: { expected: "%", nearest: "%" },
  div: { expected: "/", nearest: "/" },
  xor: { expected: "!=, which is true when one of two conditions holds", nearest: "!=" },
  if: { expected: "condition ? value : otherwise" },
  then: { expected: "condition ? value : otherwise" },
  else: { expected: "condition ? value : otherwise" },
  between: { expected: "two comparisons: low <= a && a <= high" },
  like: { expected: 'text.matches("pattern")', nearest: "matches" },
  matches: { expected: 'text.matches("pattern")', nearest: ".matches" },
  contains: { expected: 'text.contains("part"), or item in list', nearest: ".contains" },
  startsWith: { expected: 'text.startsWith("start")', nearest: ".startsWith" },
  endsWith: { expected: 'text.endsWith("end")', nearest: ".endsWith" },
  instanceof: { expected: 'type(x) == "int"', nearest: "type" },
  for: { expected: "list.all(item, ...) or list.exists(item, ...)" },
}

const declarations: ReadonlySet<string> = new Set(["return", "let", "var", "const", "new", "await", "function", "lambda", "def"])

/** A word where an operator is expected. `before`: the name that it follows. */
export function operatorHabit(word: string, before?: string): Habit | undefined {
  if (before !== undefined && (declarations.has(before) || before === "not")) return nameHabit(before, undefined)
  return Object.hasOwn(operators, word) ? operators[word] : operators[word.toLowerCase()]
}

const names: Readonly<Record<string, Habit>> = {
  True: { expected: "true", nearest: "true" },
  TRUE: { expected: "true", nearest: "true" },
  False: { expected: "false", nearest: "false" },
  FALSE: { expected: "false", nearest: "false" },
  NULL: { expected: "null, or has(x) for presence", nearest: "null" },
  Null: { expected: "null, or has(x) for presence", nearest: "null" },
  None: { expected: "null, or has(x) for presence", nearest: "null" },
  nil: { expected: "null, or has(x) for presence", nearest: "null" },
  this: { expected: "self, or the field's name alone", nearest: "self" },
  object: { expected: "self for the value of the type, root for the whole object", nearest: "root" },
  $: { expected: "the path alone: spec.size", nearest: "self" },
  undefined: { expected: "null, or has(x) for presence", nearest: "null" },
}

/** A name that is not a field, but a constant of another language. */
export function constantHabit(word: string): Habit | undefined {
  return Object.hasOwn(names, word) ? names[word] : undefined
}

/** A word that begins an expression. `next` is the token after it. */
export function nameHabit(word: string, next: { readonly kind: string } | undefined): Habit | undefined {
  const isName = next?.kind === "IDENTIFIER"
  if (next !== undefined && !isName && !/^(?:NUM_|STRING|BYTES|'\('|'(?:true|false|null)')/.test(next.kind)) return undefined
  if (word === "not") return { expected: "!", nearest: "!" }
  if (word === "if") return { expected: "condition ? value : otherwise" }
  if (word === "for" && isName) return operators["for"]
  if (declarations.has(word) && (next === undefined || isName)) return { expected: "one expression, without statements" }
  return undefined
}

const optionals = ["orValue", "or", "optMap", "optFlatMap", "hasValue", "value"]
const sizes = ["length", "len", "size", "count"]

/** `.name` after a value; `called` when a parenthesis follows. */
export function memberHabit(word: string, called: boolean): Habit | undefined {
  if (!called || !optionals.includes(word)) return undefined
  if (word === "hasValue") return { expected: "has(x)", nearest: "has" }
  return word === "value" ? { expected: "the field itself: absent is a value" } : { expected: "x ?? otherwise", nearest: "??" }
}

/** A function or macro whose name stands without a call. `method`: after a dot. */
export function callHabit(word: string, method: boolean): Habit | undefined {
  if (macros.some((macro) => macro === word)) return { expected: usage(word), nearest: usage(word) }
  const known = expressionFunctions.get(word)
  if (known === undefined) return undefined
  const call = method ? `x.${word}(${known.maximum > 0 && known.form === "method" ? "..." : ""})` : usage(word)
  return { expected: call, nearest: call }
}

/** Fields that texts, lists and maps have in other languages, but not here. */
export function sizeHabit(field: string): Habit | undefined {
  return sizes.includes(field) ? { expected: "size(x)", nearest: "size" } : undefined
}

const functions: Readonly<Record<string, string>> = {
  len: "size",
  length: "size",
  strlen: "size",
  exists_one: "existsOne",
  one: "existsOne",
  any: "exists",
  some: "exists",
  find: "filter",
  every: "all",
  forall: "all",
  where: "filter",
  select: "filter",
  collect: "map",
  foreach: "all",
  includes: "contains",
  include: "contains",
  indexof: "contains",
  haskey: "has",
  isset: "has",
  defined: "has",
  exist: "exists",
  empty: "size",
  isempty: "size",
  lower: "lowerAscii",
  tolower: "lowerAscii",
  tolowercase: "lowerAscii",
  strip: "trim",
  regex: "matches",
  match: "matches",
  test: "matches",
  tostring: "string",
  str: "string",
  text: "string",
  number: "double",
  float: "double",
  parseint: "int",
  parsefloat: "double",
  toint: "int",
  uint: "int",
  hasprefix: "startsWith",
  prefix: "startsWith",
  hassuffix: "endsWith",
  suffix: "endsWith",
  typeof: "type",
  ip: "isIP",
  cidr: "isCIDR",
  isquantity: "quantity",
  date: "time",
  now: "age",
  default: "??",
  coalesce: "??",
  ifnull: "??",
}

/** A call of a function that is not in the table. `method`: written after a dot. */
export function unknownFunction(name: string, method: boolean): { found: string; expected: string; nearest?: string } {
  const words = method ? [...expressionFunctions.keys(), ...macros] : [...expressionFunctions.keys()]
  const plain = name.replaceAll("_", "").toLowerCase()
  const meant = Object.hasOwn(functions, name) ? functions[name] : Object.hasOwn(functions, plain) ? functions[plain] : undefined
  const near = meant ?? nearest(name.replaceAll("_", ""), words)
  return {
    found: `${name}(`,
    expected: `one of the functions ${words.toSorted().join(", ")}`,
    ...(near !== undefined && { nearest: near }),
  }
}
