/**
 * The functions of the expression language (docs/DIALECT.md, "Functions") as one table of typed signatures. The parser
 * refuses functions that are not listed, the checker picks the overload, `--explain` and the document print the table.
 */
import type { CelType } from "../../cel/index.ts"
import { parseType } from "./types.ts"

/** One way to call a function. */
export interface Overload {
  readonly parameters: readonly CelType[]
  /** The last parameter may be repeated. */
  readonly variadic: boolean
  /** Parameters at the end that may be left out. */
  readonly optional: number
  readonly result: CelType
}

export interface ExpressionFunction {
  readonly name: string
  /**
   * `method`: `x.startsWith("a")`, `call`: `size(x)`. Functions that have a subject accept both forms; the tree always
   * holds the form given here, so emitters see only one.
   */
  readonly form: "method" | "call"
  /** Number of arguments, not counting the subject of a method. */
  readonly minimum: number
  readonly maximum: number
  readonly overloads: readonly Overload[]
  /** The signatures as they are written in this table: `(string, string) -> bool`. */
  readonly signatures: readonly string[]
  /** `absent`: the result is absent for a value that it cannot convert. `never`: neither absent nor empty. */
  readonly absence: "never" | "empty" | "absent"
  /** The only results. */
  readonly words?: readonly string[]
  readonly doc: string
  /** A call and its result. */
  readonly example: readonly [call: string, result: string]
}

/** The most arguments of a function that takes any number. */
const variadicMax = 16
const scalars = ["bool", "int", "double", "string", "intOrString", "timestamp", "duration", "quantity"] as const
const ordered = ["int", "double", "string", "timestamp", "duration", "quantity"] as const

function parseSignature(text: string): Overload {
  const [, inside = "", result = ""] = /^\((.*)\) -> (\S+)$/.exec(text) ?? []
  const words = inside === "" ? [] : inside.split(", ")
  const variadic = words.at(-1) === "..."
  const given = variadic ? words.slice(0, -1) : words
  return {
    parameters: given.map((word) => parseType(word.replace(/\?$/, ""))),
    variadic,
    optional: given.filter((word) => word.endsWith("?")).length,
    result: parseType(result),
  }
}

type Row = readonly [
  name: string,
  signatures: readonly string[],
  doc: string,
  call: string,
  result: string,
  more?: Partial<ExpressionFunction>,
]

function declare(form: ExpressionFunction["form"], [name, signatures, doc, call, result, more]: Row): ExpressionFunction {
  const overloads = signatures.map(parseSignature)
  const subjects = form === "method" ? 1 : 0
  const counts = overloads.map(({ parameters, optional }) => [parameters.length - optional - subjects, parameters.length - subjects])
  return {
    name,
    form,
    minimum: Math.min(...counts.map(([least = 0]) => least)),
    maximum: overloads.some(({ variadic }) => variadic) ? variadicMax : Math.max(...counts.map(([, most = 0]) => most)),
    overloads,
    signatures,
    absence: "never",
    doc,
    example: [call, result],
    ...more,
  }
}

const empty = { absence: "empty" } as const
const absent = { absence: "absent" } as const
const same = ordered.flatMap((type) => [`(${type}, ...) -> ${type}`, `(list(${type})) -> ${type}`])

const methods: readonly Row[] = [
  ["startsWith", ["(string, string) -> bool"], "True when the text starts with the argument.", `"kettle".startsWith("ket")`, "true"],
  ["endsWith", ["(string, string) -> bool"], "True when the text ends with the argument.", `"kettle".endsWith("tle")`, "true"],
  ["contains", ["(string, string) -> bool"], "True when the text holds the argument somewhere.", `"kettle".contains("ett")`, "true"],
  ["matches", ["(string, string) -> bool"], "True when the RE2 pattern is found in the text.", `"v12".matches("^v[0-9]+$")`, "true"],
  ["lowerAscii", ["(string) -> string"], "The text with A to Z in lower case.", `"Kettle".lowerAscii()`, `"kettle"`, empty],
  ["trim", ["(string) -> string"], "The text without blanks at both ends.", `" a ".trim()`, `"a"`, empty],
  ["split", ["(string, string) -> list(string)"], "The parts of the text between the separators.", `"a,b".split(",")`, `["a", "b"]`],
  [
    "join",
    scalars.map((type) => `(list(${type}), string?) -> string`),
    "The items of a list as one text, the separator between them.",
    `["a", "b"].join("+")`,
    `"a+b"`,
    empty,
  ],
]

const values: readonly Row[] = [
  [
    "size",
    ["(string) -> int", "(list(dyn)) -> int", "(map(dyn)) -> int"],
    "Characters of a text, items of a list, entries of a map; 0 for absent.",
    "size([4, 5])",
    "2",
  ],
  ["count", ["(list(dyn)) -> int", "(map(dyn)) -> int"], "Items of a list; 0 for absent.", "count([4, 5])", "2"],
  ["has", ["(dyn) -> bool"], "True when the field is present; of a field that is not a pointer, not zero.", "has(spec.image)", "true"],
  [
    "type",
    ["(dyn) -> string"],
    "What the value is: null, bool, int, double, string, list, map, duration, timestamp or quantity.",
    "type(1.5)",
    `"double"`,
    { words: ["null", "bool", "int", "double", "string", "list", "map", "duration", "timestamp", "quantity"] },
  ],
  ["string", scalars.map((type) => `(${type}) -> string`), "The value as text.", "string(80)", `"80"`, empty],
  [
    "int",
    ["(string) -> int", "(double) -> int", "(intOrString) -> int", "(timestamp) -> int", "(duration) -> int", "(quantity) -> int"],
    "The value as a whole number, rounded toward zero; of a text digits only, of a time the seconds since 1970, of a duration its seconds.",
    `int("12")`,
    "12",
    absent,
  ],
  [
    "double",
    ["(string) -> double", "(double) -> double", "(intOrString) -> double", "(quantity) -> double", "(duration) -> double"],
    "The value as a number; of a duration its seconds.",
    `double("1.5")`,
    "1.5",
    absent,
  ],
  [
    "quantity",
    ["(string) -> quantity", "(double) -> quantity", "(intOrString) -> quantity", "(quantity) -> quantity"],
    "The amount that the text or number names. Quantities compare and add exactly.",
    `quantity("1") > quantity("500m")`,
    "true",
    absent,
  ],
  [
    "duration",
    ["(string) -> duration", "(duration) -> duration", "(double) -> string"],
    "Of a text, the duration. Of a number of seconds, the duration as people read it: 90s, 5m, 3h.",
    `duration("90m") > duration("1h")`,
    "true",
    absent,
  ],
  [
    "time",
    ["(string) -> timestamp", "(timestamp) -> timestamp"],
    "The moment that a text in RFC 3339 names.",
    `time("2024-01-01T00:00:00Z") + duration("1h")`,
    "2024-01-01T01:00:00Z",
    absent,
  ],
  [
    "timestamp",
    ["(string) -> timestamp", "(timestamp) -> timestamp"],
    "The same as time, by CEL's name.",
    `timestamp("2024-01-01T00:00:00Z") == time("2024-01-01T00:00:00Z")`,
    "true",
    absent,
  ],
  ["min", same, "The smallest of the arguments, or of the items of one list.", "min(3, 1)", "1", absent],
  ["max", same, "The largest of the arguments, or of the items of one list.", "max([3, 1])", "3", absent],
  [
    "sum",
    ["int", "double", "quantity", "duration"].map((type) => `(list(${type})) -> ${type}`),
    "The items of a list added up.",
    "sum([1, 2])",
    "3",
  ],
]

const tests: readonly Row[] = [
  ["isIP", ["(string) -> bool"], "True for an IPv4 or IPv6 address.", `isIP("::1")`, "true"],
  ["isIPv4", ["(string) -> bool"], "True for an IPv4 address.", `isIPv4("10.0.0.1")`, "true"],
  ["isIPv6", ["(string) -> bool"], "True for an IPv6 address.", `isIPv6("10.0.0.1")`, "false"],
  [
    "matchesSelector",
    ["(dyn, map(dyn)) -> bool"],
    "True when labels, the second argument, meet a label selector. An absent selector matches nothing.",
    "matchesSelector({}, {})",
    "true",
  ],
  [
    "isSelector",
    ["(dyn) -> bool"],
    "True when a label selector can be evaluated: keys, values and operators are valid. An absent one can.",
    `isSelector({})`,
    "true",
  ],
  ["isCIDR", ["(string) -> bool"], "True for an address range.", `isCIDR("10.0.0.0/8")`, "true"],
  [
    "isFormat",
    scalars.map((type) => `(string, ${type}) -> bool`),
    "True when the second argument has the format named by the first, a literal.",
    `isFormat("dns-label", "a.b")`,
    "false",
  ],
]

const cells: readonly Row[] = [
  [
    "age",
    ["(timestamp) -> string"],
    "How long ago it was: 5m, 3h20m, 12d; <unknown> for absent.",
    "age(metadata.creationTimestamp)",
    `"5m"`,
  ],
  [
    "imageTag",
    ["(string) -> string"],
    "The tag of a container image name; latest when it has neither tag nor digest.",
    `imageTag("tea:2")`,
    `"2"`,
    empty,
  ],
  ["formatLabels", ["(map(dyn)) -> string"], "Labels as k=v,k=v in the order of keys; <none> without any.", "formatLabels({})", `"<none>"`],
  ["formatSelector", ["(dyn) -> string"], "A label selector as text; <none> when it is empty.", "formatSelector({})", `"<none>"`],
  ["selectorString", ["(dyn) -> string"], "A label selector as text; empty when it is empty.", "selectorString({})", `""`, empty],
  [
    "lbAddresses",
    ["(list(dyn)) -> string"],
    "Addresses of the entries of a load balancer status, sorted, with commas.",
    "lbAddresses([])",
    `""`,
    empty,
  ],
  [
    "vendor",
    ["(string) -> string"],
    "A neutral name, a literal, in the spelling of the running vendor profile.",
    `vendor("orch.io/hostname")`,
    `"orch.io/hostname"`,
  ],
  [
    "behaviour",
    ["(string) -> dyn"],
    "The result of the named cell function of behaviours/cells/ for the object.",
    `behaviour("podStatus").reason`,
    `"Running"`,
    absent,
  ],
]

/** Every function by name. Used by the parser (names, argument counts), the checker (types) and `--explain`. */
export const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map(
  [...methods.map((row) => declare("method", row)), ...[...values, ...tests, ...cells].map((row) => declare("call", row))].map((one) => [
    one.name,
    one,
  ]),
)

/** The comprehension macros: `list.all(item, condition)`. For a map, the variable is the key. */
export const macros = ["all", "exists", "existsOne", "filter", "map"] as const
export type Macro = (typeof macros)[number]

/** Called by the parser for each method name. */
export function isMacro(name: string): name is Macro {
  return macros.some((macro) => macro === name)
}

/** Results of the macros, for `--explain` and the document, with a call and its result. */
export const macroDocs: Readonly<Record<Macro, readonly [doc: string, call: string, result: string]>> = {
  all: ["True when the condition holds for every item; over a map the variable is the key.", "[1, 2].all(n, n > 0)", "true"],
  exists: ["True when the condition holds for some item.", "[1, 2].exists(n, n > 1)", "true"],
  existsOne: ["True when the condition holds for exactly one item.", "[1, 1].existsOne(n, n == 1)", "false"],
  filter: ["The items for which the condition holds, in order.", "[1, 2].filter(n, n > 1)", "[2]"],
  map: ["The value of the expression for each item, in order.", "[1, 2].map(n, n * 2)", "[2, 4]"],
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** The syntax of a function, for errors and `--explain`: `x.startsWith(a)`, `min(...) with 1 to 16 arguments`. */
export function usage(name: string): string {
  const known = expressionFunctions.get(name)
  if (known === undefined) return isMacro(name) ? `list.${name}(item, expression)` : name
  const { form, minimum, maximum } = known
  const prefix = form === "method" ? "x." : ""
  if (minimum === maximum)
    return `${prefix}${name}(${Array.from({ length: minimum }, (_, index) => String.fromCharCode(97 + index)).join(", ")})`
  return `${prefix}${name}(...) with ${minimum} to ${plural(maximum, "argument")}`
}

/** Signatures as the document lists them: signatures that differ in one parameter's type share a line. */
export function signatureTexts(known: ExpressionFunction): string[] {
  return known.signatures.map((signature) => {
    const [, inside = "", result = ""] = /^\((.*)\) -> (\S+)$/.exec(signature) ?? []
    const [subject, ...rest] = inside.split(", ")
    return known.form === "method" ? `${subject}.${known.name}(${rest.join(", ")}) -> ${result}` : `${known.name}(${inside}) -> ${result}`
  })
}
