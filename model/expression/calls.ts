/** Calls after CEL's type check: explains refused calls, and checks arguments that the generator must know. */
import type { CelType } from "../../cel/index.ts"
import { parseDuration } from "../../runtime/base/duration.ts"
import { parseQuantity } from "../../runtime/base/quantity.ts"
import { parseInstant } from "../../runtime/base/time.ts"
import { compilePattern } from "../../runtime/schema/expression.ts"
import { formatNames } from "../../runtime/schema/formats.ts"
import type { ExpressionTree } from "../model.ts"
import { type Checked, type Checker, computed, type ExpressionScope, unknown, valueTree } from "./checked.ts"
import { type ExpressionFunction, expressionFunctions, signatureTexts } from "./functions.ts"
import { shown } from "./trees.ts"
import { isNumber, isSimple, itemType, typePhrase, typeText } from "./types.ts"
import { oneOf } from "./words.ts"

type Call = ExpressionTree & { node: "call" }

/** Functions that need more than the object, with the positions where they are allowed; others are allowed anywhere. */
const limitedFunctions: Readonly<Record<string, readonly ExpressionScope["place"][]>> = {
  age: ["columns"],
  behaviour: ["columns"],
  vendor: ["columns", "warnings", "rules", "defaults"],
}

/** Functions that read the text of a Quantity, Duration or time themselves. */
const readsText: ReadonlySet<string> = new Set([
  "string",
  "join",
  "isFormat",
  "age",
  "quantity",
  "time",
  "timestamp",
  "duration",
  "has",
  "type",
])

/** Called for every call, but not for macros. */
export function checkCall(tree: Call, checker: Checker): Checked {
  const known = expressionFunctions.get(tree.function)
  if (known === undefined) return unknown(tree)
  const places = limitedFunctions[tree.function]
  const { place } = checker.scope
  if (places !== undefined && !places.includes(place)) {
    checker.report(tree, { found: `${tree.function} in ${place}`, expected: `that function only in ${places.join(", ")}` })
    return unknown(tree)
  }
  const written = tree.target === undefined ? tree.arguments : [tree.target, ...tree.arguments]
  if (tree.function === "has") return checkHas(tree, written, checker)
  const given = written.map((argument) => checker.check(argument))
  if (checker.typed.isRefused(tree)) {
    reportMismatch(tree, known, written, given, checker)
    return unknown(tree)
  }
  const type = checker.typed.typeOf(tree)
  if (!checkLiterals(tree, written, checker)) return computed(tree, type)
  const converts = !readsText.has(tree.function)
  const trees = given.map((one) => (converts ? valueTree(one) : one.tree))
  const [subject, ...rest] = trees
  const made: Call =
    tree.target === undefined || subject === undefined ? { ...tree, arguments: trees } : { ...tree, target: subject, arguments: rest }
  const literal = written.every((argument) => argument.node === "literal")
  const absence = known.absence === "absent" && literal && known.name !== "behaviour" ? "never" : known.absence
  return { ...computed(made, type, absence), words: known.words }
}

/** `has(x)` tests a field, an entry or an item. */
function checkHas(tree: Call, [argument]: readonly ExpressionTree[], checker: Checker): Checked {
  if (argument === undefined) return unknown(tree)
  const asked = argument.node === "select" || argument.node === "index" || argument.node === "name"
  const given = checker.check(argument)
  if (!asked)
    checker.report(argument, { found: `has(${shown(argument)})`, expected: `a field, an entry or an item: has(${fieldIn(argument)})` })
  else if (given.absence === "never" || (given.absence === "empty" && argument.node === "name"))
    checker.report(argument, { found: `has(${shown(argument)}), which is never absent`, expected: hasHint(given, shown(argument)) })
  return computed({ ...tree, arguments: [given.tree] }, checker.typed.typeOf(tree))
}

/** The first field that an expression reads, in the author's words. An example where there is none. */
function fieldIn(tree: ExpressionTree): string {
  return /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w(])/.exec(shown(tree))?.[0] ?? "spec.size"
}

function hasHint({ type }: Checked, text: string): string {
  if (isSimple(type, "string")) return `${text} != ""`
  return type.kind === "list" || type.kind === "map" ? `size(${text}) > 0` : "no test for its presence"
}

function reportMismatch(
  tree: Call,
  known: ExpressionFunction,
  written: readonly ExpressionTree[],
  given: readonly Checked[],
  checker: Checker,
): void {
  const wrong = written.findIndex((argument, index) => !checker.typed.isTaken(known.name, index, argument))
  const at = written[wrong]
  const value = given[wrong]
  if (at === undefined || value === undefined) {
    const types = given.map(({ type }) => typeText(type)).join(", ")
    const expected = known.overloads.length > 4 ? "arguments of one type" : signatureTexts(known).join(", ")
    checker.report(tree, { found: `${known.name}(${types})`, expected })
    return
  }
  const wanted = [...new Set(known.overloads.flatMap(({ parameters }) => parameters[wrong] ?? parameters.at(-1) ?? []).map(typeText))]
  const subject = known.form === "method" && wrong === 0
  checker.report(subject ? tree : at, {
    found: subject
      ? `${shown(at)}.${known.name}, of ${typePhrase(value.type)}`
      : `${shown(at)}, ${typePhrase(value.type)}, in ${known.name}`,
    expected: `${wanted.join(", ").replace(/, ([^,]*)$/, " or $1")}${argumentHint(known.name, value.type, shown(at), wanted)}`,
  })
}

function argumentHint(name: string, type: CelType, text: string, wanted: readonly string[]): string {
  if (type.kind === "list" && name === "contains") return `: an item of a list is found with item in ${text}`
  if (type.kind === "map" && name === "contains") return `: a key of a map is found with key in ${text}`
  if (isNumber(type) && name === "size") return `: ${text} is a number already`
  if (type.kind === "list" && itemType(type).kind === "struct") return `, such as ${text}.map(item, item.name)`
  if (type.kind === "list" && wanted.length === 1 && wanted[0] === "string") return `: ${text}.exists(item, ...) asks each item`
  if (wanted.includes("string") && isSimple(type, "int", "double", "bool", "timestamp", "duration", "quantity")) return `: string(${text})`
  if (wanted.includes("timestamp") && isSimple(type, "string")) return `: time(${text})`
  return ""
}

/** Checks arguments that the generator evaluates, and literals that can be read now. False when one is wrong. */
function checkLiterals(tree: Call, written: readonly ExpressionTree[], checker: Checker): boolean {
  switch (tree.function) {
    case "isFormat":
      return checkWord(tree, written[0], formatNames, "the name of a format as a literal", checker)
    case "vendor":
      return checkWord(tree, written[0], undefined, "a neutral name as a literal", checker)
    case "behaviour":
      return checkWord(tree, written[0], undefined, "the name of a cell function as a literal", checker)
    case "matches":
      return checkReadable(written[1], (text) => compilePattern(text), "the pattern", "an RE2 pattern", checker)
    case "quantity":
      return checkReadable(
        written[0],
        (text) => parseQuantity(text),
        "the quantity",
        'a number with a suffix, such as "500m" or "1Gi"',
        checker,
      )
    case "duration":
      return checkReadable(
        written[0],
        (text) => parseDuration(text),
        "the duration",
        'numbers with units, such as "90s" or "1h30m"',
        checker,
      )
    case "time":
    case "timestamp":
      return checkReadable(written[0], (text) => parseInstant(text), "the time", 'RFC 3339, such as "2024-01-31T12:00:00Z"', checker)
    case "int":
    case "double":
      return checkReadable(written[0], parseNumber, "the number", 'digits, such as "12"', checker)
    default:
      return true
  }
}

function parseNumber(text: string): void {
  if (text.trim() === "" || !Number.isFinite(Number(text))) throw new Error("not a number")
}

function checkWord(
  tree: Call,
  first: ExpressionTree | undefined,
  words: readonly string[] | undefined,
  expected: string,
  checker: Checker,
): boolean {
  if (first?.node !== "literal" || typeof first.value !== "string") {
    checker.report(tree, { found: `${tree.function} of a computed value`, expected })
    return false
  }
  if (words === undefined || words.includes(first.value)) return true
  checker.report(first, { found: `unknown name "${first.value}" in ${tree.function}`, ...oneOf(first.value, words) })
  return false
}

function checkReadable(
  at: ExpressionTree | undefined,
  read: (text: string) => unknown,
  what: string,
  expected: string,
  checker: Checker,
): boolean {
  if (at?.node !== "literal" || typeof at.value !== "string") return true
  try {
    read(at.value)
    return true
  } catch (error) {
    const why = what === "the pattern" && error instanceof Error ? ` (${error.message})` : ""
    checker.report(at, { found: `${what} ${JSON.stringify(at.value)}`, expected: `${expected}${why}` })
    return false
  }
}
