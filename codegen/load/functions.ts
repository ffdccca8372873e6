/**
 * The functions of the expression language (docs/DIALECT.md, "Expressions") as one table: form, number of arguments,
 * result. The parser refuses functions that are not listed; `--explain` prints the table.
 */

/** The result of a call, as far as the checker of field paths needs to know. */
export type FunctionResult = "boolean" | "string" | "number" | "list" | "any"

export interface ExpressionFunction {
  /**
   * `method`: `x.startsWith("a")`, `call`: `size(x)`. Functions that have a subject accept both forms; the tree always
   * holds the form given here, so emitters see only one.
   */
  readonly form: "method" | "call"
  /** Number of arguments, not counting the subject of a method. */
  readonly minimum: number
  readonly maximum: number
  readonly result: FunctionResult
  readonly doc: string
}

function method(argumentCount: number | readonly [number, number], result: FunctionResult, doc: string): ExpressionFunction {
  const [minimum, maximum] = typeof argumentCount === "number" ? [argumentCount, argumentCount] : argumentCount
  return { form: "method", minimum, maximum, result, doc }
}

function call(argumentCount: number | readonly [number, number], result: FunctionResult, doc: string): ExpressionFunction {
  return { ...method(argumentCount, result, doc), form: "call" }
}

/** Every function by name. Used by the parser (names, argument counts), the type checker (results) and `--explain`. */
export const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map([
  ["size", call(1, "number", "Characters of a text, items of a list, entries of a map; 0 for absent.")],
  ["has", call(1, "boolean", "True when the field is present.")],
  ["startsWith", method(1, "boolean", "True when the text starts with the argument.")],
  ["endsWith", method(1, "boolean", "True when the text ends with the argument.")],
  ["contains", method(1, "boolean", "True when the text holds the argument somewhere.")],
  ["matches", method(1, "boolean", "True when the RE2 pattern is found in the text.")],
  ["lowerAscii", method(0, "string", "The text with A to Z in lower case.")],
  ["trim", method(0, "string", "The text without blanks at both ends.")],
  ["split", method(1, "list", "The parts of the text between the separators.")],
  ["join", method([0, 1], "string", "The items of a list of texts as one text, the separator between them.")],
  ["string", call(1, "string", "The value as text.")],
  ["int", call(1, "number", "The value as a whole number.")],
  ["double", call(1, "number", "The value as a number.")],
  ["quantity", call(1, "number", "The amount of a quantity such as 500m or 1Gi, for comparing and adding.")],
  ["age", call(1, "string", "The age of a time, human-readable: 5m, 3h20m, 12d; <unknown> when absent.")],
  ["time", call(1, "number", "A time text as a moment that can be compared.")],
  ["duration", call(1, "string", "A number of seconds as a human-readable duration: 90s, 5m, 3h.")],
  ["min", call([1, 16], "any", "The smallest of the arguments, or of the items of one list.")],
  ["max", call([1, 16], "any", "The largest of the arguments, or of the items of one list.")],
  ["sum", call(1, "number", "The items of a list of numbers added up.")],
  ["formatLabels", call(1, "string", "Labels as k=v,k=v in the order of keys; <none> when there are none.")],
  ["formatSelector", call(1, "string", "A label selector as text; <none> when it is empty.")],
  ["selectorString", call(1, "string", "A label selector as text; empty when it is empty.")],
  ["lbAddresses", call(1, "string", "Addresses of the entries of a load balancer status, sorted, with commas.")],
  ["count", call(1, "number", "Items of a list; 0 for absent.")],
  ["isIP", call(1, "boolean", "True for an IPv4 or IPv6 address.")],
  ["isIPv4", call(1, "boolean", "True for an IPv4 address.")],
  ["isIPv6", call(1, "boolean", "True for an IPv6 address.")],
  ["isCIDR", call(1, "boolean", "True for an address range such as 10.0.0.0/8.")],
  ["isFormat", call(2, "boolean", "True when the second argument has the format named by the first, a literal.")],
  ["imageTag", call(1, "string", "The tag of a container image name; latest when it has neither tag nor digest.")],
  ["vendor", call(1, "string", "A neutral name such as orch.io/hostname in the spelling of the running vendor profile.")],
  ["type", call(1, "string", "What the value is: null, bool, int, double, string, list or map.")],
  ["behaviour", call(1, "any", "The result of the named cell function of runtime/behaviours/cells/ for the object.")],
])

/** The comprehension macros: `list.all(item, condition)`. For a map, the variable is the key. */
export const macros = ["all", "exists", "existsOne", "filter", "map"] as const
export type Macro = (typeof macros)[number]

/** Called by the parser for each method name. */
export function isMacro(name: string): name is Macro {
  return macros.some((macro) => macro === name)
}
