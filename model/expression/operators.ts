/** Operators after CEL's type check: explains refusals, tracks absent values, finds literals that cannot be meant. */
import type { CelType } from "../../cel/index.ts"
import type { ExpressionTree } from "../model.ts"
import { type Checked, type CheckFault, type Checker, computed, unknown, valueTree } from "./checked.ts"
import { shown } from "./trees.ts"
import { isNumber, isSimple, itemType, sameType, simpleName, type SimpleType, typePhrase, typeText } from "./types.ts"
import { checkMember, checkMembers, results } from "./words.ts"

type Binary = ExpressionTree & { node: "binary" }

/** Called for every operator with two operands. */
export function checkBinary(tree: Binary, checker: Checker): Checked {
  const left = checker.check(tree.left)
  const right = checker.check(tree.right, left)
  switch (tree.operator) {
    case "&&":
    case "||":
      if (checker.typed.isMisplaced(tree.left)) reportCondition(left, tree.left, checker, `a side of ${tree.operator}`)
      if (checker.typed.isMisplaced(tree.right)) reportCondition(right, tree.right, checker, `a side of ${tree.operator}`)
      return computed({ ...tree, left: left.tree, right: right.tree }, checker.typed.typeOf(tree))
    case "??":
      return checkOrElse(tree, left, right, checker)
    case "==":
    case "!=":
      return checkEquality(tree, left, right, checker)
    case "in":
      return checkIn(tree, left, right, checker)
    case "<":
    case "<=":
    case ">":
    case ">=":
      return checkOrder(tree, left, right, checker)
    default:
      return checkArithmetic(tree, left, right, checker)
  }
}

/** `!a` and `-a`. */
export function checkUnary(tree: ExpressionTree & { node: "unary" }, checker: Checker): Checked {
  const of = checker.check(tree.of)
  const type = checker.typed.typeOf(tree)
  if (tree.operator === "!") {
    if (checker.typed.isRefused(tree)) reportCondition(of, tree.of, checker, "what follows !")
    return computed({ ...tree, of: of.tree }, type)
  }
  if (!checker.typed.isRefused(tree)) return computed({ ...tree, of: valueTree(of) }, type, of.absence)
  checker.report(tree, {
    found: `-${shown(tree.of)}, the negative of ${typePhrase(of.type)}`,
    expected: "a number, a quantity or a duration",
  })
  return unknown(tree)
}

/** Whether the value may be a condition. A value of unknown type may be one. */
export function isCondition({ type }: Checked): boolean {
  return isSimple(type, "dyn", "bool")
}

/** Reports a value that is used as a condition and is not a boolean. */
export function reportCondition(value: Checked, at: ExpressionTree, checker: Checker, what: string): void {
  const named = at.node === "name" || at.node === "select" || at.node === "index"
  checker.report(at, {
    found: `${described(at, value.type)} as ${what}`,
    expected: `true or false${named ? conditionHint(value.type, shown(at)) : ""}`,
  })
}

/** `size, an int,` or `null`. */
function described(tree: ExpressionTree, type: CelType): string {
  return isSimple(type, "null") ? "null" : `${shown(tree)}, ${typePhrase(type)},`
}

function conditionHint(type: CelType, text: string): string {
  if (type.kind === "list" || type.kind === "map") return `, such as size(${text}) > 0`
  if (type.kind === "struct") return `, such as has(${text})`
  if (isNumber(type)) return `, such as ${text} > 0`
  return isSimple(type, "string", "intOrString") ? `, such as ${text} != ""` : `, such as has(${text})`
}

/** `a ?? b`: the left side must be able to be absent, and both must have one type. */
function checkOrElse(tree: Binary, left: Checked, right: Checked, checker: Checker): Checked {
  if (left.absence === "never") {
    checker.report(tree, { found: `${shown(tree.left)} ?? ..., where the left side is never absent`, expected: shown(tree.left) })
    return { ...left, tree }
  }
  const type = checker.typed.typeOf(tree)
  if (checker.typed.isRefused(tree) || isEmptyObject(tree.right, left.type)) {
    checker.report(tree, {
      found: `${shown(tree)}: ${typePhrase(left.type)} or ${typePhrase(right.type)}`,
      expected: `${typePhrase(left.type)} on both sides of ??${literalHint(left, right, tree.right)}`,
    })
    return unknown(tree)
  }
  const same = left.words !== undefined && right.words === left.words
  return {
    tree: { ...tree, left: left.tree, right: right.tree },
    type,
    absence: right.absence,
    stored: left.stored || right.stored,
    words: same || right.tree.node === "literal" ? left.words : undefined,
    itemWords: left.itemWords,
  }
}

/** `{}` stands for a struct or a map; CEL has no type for every struct. */
function isEmptyObject(tree: ExpressionTree, instead: CelType): boolean {
  const isEmpty = tree.node === "literal" && typeof tree.value === "object" && tree.value !== null
  return isEmpty && simpleName(instead) !== undefined && !isSimple(instead, "dyn")
}

/** `test ? a : b` */
export function checkConditional(tree: ExpressionTree & { node: "conditional" }, checker: Checker): Checked {
  const test = checker.check(tree.test)
  const then = checker.check(tree.then)
  const otherwise = checker.check(tree.otherwise)
  const isRefused = checker.typed.isRefused(tree)
  if (isRefused && !isCondition(test)) {
    reportCondition(test, tree.test, checker, "what stands before ?")
    return unknown(tree)
  }
  if (isRefused) {
    checker.report(tree, {
      found: `${shown(tree.then)}, ${typePhrase(then.type)}, or ${shown(tree.otherwise)}, ${typePhrase(otherwise.type)}`,
      expected: `one type on both sides of the colon${literalHint(then, otherwise, tree.otherwise)}`,
    })
    return unknown(tree)
  }
  const order = ["never", "empty", "zero", "absent"] as const
  const absence = order[Math.max(order.indexOf(then.absence), order.indexOf(otherwise.absence))] ?? "absent"
  return {
    tree: { ...tree, test: test.tree, then: then.tree, otherwise: otherwise.tree },
    type: checker.typed.typeOf(tree),
    absence,
    stored: then.stored || otherwise.stored,
  }
}

function checkEquality(tree: Binary, left: Checked, right: Checked, checker: Checker): Checked {
  const nullSide = isSimple(left.type, "null") ? right : isSimple(right.type, "null") ? left : undefined
  if (nullSide !== undefined) return checkNull(tree, nullSide, left, right, checker)
  const never = neverEqual(left, tree.right) ?? neverEqual(right, tree.left)
  if (never !== undefined) checker.report(tree, never)
  else if (checker.typed.isRefused(tree)) checker.report(tree, comparisonFault(tree, left, right))
  checkMembers(checker, left, tree.right)
  checkMembers(checker, right, tree.left)
  return computed({ ...tree, left: valueTree(left), right: valueTree(right) }, checker.typed.typeOf(tree))
}

/** Literals that never equal the other side, although their types compare. */
function neverEqual(value: Checked, literal: ExpressionTree): { found: string; expected: string } | undefined {
  const text = shown(value.tree)
  if (isSimple(value.type, "int") && literal.node === "literal" && typeof literal.value === "number" && !Number.isInteger(literal.value))
    return { found: `${text}, an int, compared with ${shown(literal)}`, expected: "a whole number: an int has no fraction" }
  const empty = (literal.node === "list" && literal.items.length === 0) || (literal.node === "literal" && typeof literal.value === "object")
  if (!empty || value.absence !== "absent" || literal === value.tree) return undefined
  const expected =
    value.type.kind === "struct" ? `has(${text}) or !has(${text})` : `size(${text}) == 0: an absent list or map is not an empty one`
  return isSimple(value.type, "dyn") ? undefined : { found: `${text} compared with ${shown(literal)}`, expected }
}

/** Null is absent, so comparing a value that is never absent with null is a mistake. */
function checkNull(tree: Binary, value: Checked, left: Checked, right: Checked, checker: Checker): Checked {
  const at = value === left ? tree.left : tree.right
  if (value.absence !== "absent" && !isSimple(value.type, "null")) {
    const asked = tree.operator === "==" ? `!has(${shown(at)})` : `has(${shown(at)})`
    const reads = value.absence === "zero" ? "which is not a pointer and reads as its zero value" : "which is never absent"
    checker.report(tree, {
      found: `null compared with ${shown(at)}, ${reads}`,
      expected: value.absence === "zero" ? asked : "no comparison",
    })
  }
  return computed({ ...tree, left: left.tree, right: right.tree }, checker.typed.typeOf(tree))
}

function comparisonFault(tree: Binary, left: Checked, right: Checked): { found: string; expected: string } {
  const found = `${shown(tree.left)}, ${typePhrase(left.type)}, compared with ${shown(tree.right)}, ${typePhrase(right.type)}`
  const list =
    left.type.kind === "list"
      ? { list: tree.left, one: tree.right }
      : right.type.kind === "list"
        ? { list: tree.right, one: tree.left }
        : undefined
  if (list !== undefined && !(left.type.kind === "list" && right.type.kind === "list")) {
    const one = list.one === tree.left ? left : right
    const counted = isNumber(one.type)
      ? `size(${shown(list.list)}) ${tree.operator} ${shown(list.one)}`
      : `${shown(list.one)} in ${shown(list.list)}`
    return { found, expected: counted }
  }
  const struct = [left, right].find(({ type }) => type.kind === "struct")
  const hint = literalHint(left, right, tree.right) || literalHint(right, left, tree.left)
  return { found, expected: `values of one type${hint}${struct === undefined ? "" : `, such as a field of ${shown(struct.tree)}`}` }
}

const special: readonly SimpleType[] = ["quantity", "duration", "timestamp"]

/** How `other` would be written to fit `value`: `: "5"`, `: quantity("1Gi")`. */
function literalHint(value: Checked, other: Checked, at: ExpressionTree): string {
  const text = shown(at)
  const literal = at.node === "literal" ? at.value : undefined
  if (isSimple(value.type, ...special) && isSimple(other.type, "string"))
    return `: ${isSimple(value.type, "timestamp") ? "time" : typeText(value.type)}(${text})`
  if (isSimple(value.type, "duration", "timestamp") && isNumber(other.type))
    return typeof literal === "number" ? `: duration("${literal}s")` : isSimple(value.type, "duration") ? `: int(${shown(value.tree)})` : ""
  if (isSimple(value.type, "string")) {
    if (typeof literal === "number" || typeof literal === "boolean") return `: "${String(literal)}"`
    if (isSimple(other.type, "int", "double", "bool", "quantity", "duration", "timestamp")) return `: string(${text})`
  }
  if (isNumber(value.type) && isSimple(other.type, "string")) {
    if (typeof literal !== "string")
      return `: size(${text}) is its length, ${isSimple(value.type, "int") ? "int" : "double"}(${text}) the number that it says`
    return literal.trim() !== "" && Number.isFinite(Number(literal)) ? `: ${literal}` : ""
  }
  if (isSimple(value.type, "bool") && (literal === "true" || literal === "false")) return `: ${literal}`
  if (isNumber(value.type) && isSimple(other.type, "intOrString")) return `: int(${text})`
  if (isNumber(value.type) && at.node !== "literal" && (other.type.kind === "list" || other.type.kind === "map")) return `: size(${text})`
  return ""
}

/** CEL orders these types; here ordering them is a mistake. */
const unordered: readonly SimpleType[] = ["bool", "bytes"]

function checkOrder(tree: Binary, left: Checked, right: Checked, checker: Checker): Checked {
  const isOfOneType = sameType(left.type, right.type) || isSimple(left.type, "dyn") || isSimple(right.type, "dyn")
  const wrong = isSimple(left.type, ...unordered) || checker.typed.isRefused(tree)
  if (wrong && isOfOneType) {
    const { type } = isSimple(left.type, "dyn") ? right : left
    checker.report(tree, {
      found: `the order of ${shown(tree.left)} and ${shown(tree.right)}, of ${typePhrase(type)}`,
      expected: "numbers, texts, times, durations or quantities",
    })
  } else if (wrong) checker.report(tree, comparisonFault(tree, left, right))
  return computed({ ...tree, left: valueTree(left), right: valueTree(right) }, checker.typed.typeOf(tree))
}

function checkIn(tree: Binary, left: Checked, right: Checked, checker: Checker): Checked {
  const { type } = right
  if (checker.typed.isRefused(tree)) {
    checker.report(tree, membershipFault(tree, left, right))
    return unknown(tree)
  }
  const result = computed({ ...tree, left: valueTree(left), right: valueTree(right) }, checker.typed.typeOf(tree))
  if (tree.right.node === "list") for (const item of tree.right.items) checkMembers(checker, left, item)
  const isMap = type.kind === "map"
  const [words, what] = isMap ? [right.keyWords, "keys"] : [right.itemWords, "items"]
  for (const literal of results(tree.left)) checkMember(checker, literal, words, `the ${what} of ${shown(tree.right)}`)
  return isMap ? { ...result, tree: { ...tree, left: left.tree, right: right.tree } } : result
}

function membershipFault(tree: Binary, left: Checked, right: Checked): Omit<CheckFault, "offset"> {
  const { type } = right
  const one = `${shown(tree.left)}, ${typePhrase(left.type)}`
  if (type.kind === "list")
    return {
      found: `${one}, in ${typePhrase(type)}`,
      expected: `${typePhrase(itemType(type))}${literalHint({ ...right, type: itemType(type) }, left, tree.left)}`,
    }
  if (type.kind === "map") return { found: `${one}, as a key`, expected: "a string: keys are texts" }
  const part = isSimple(type, "string", "intOrString") ? `${shown(tree.right)}.contains(${shown(tree.left)})` : undefined
  const field = type.kind === "struct" ? "has(x.field)" : undefined
  return {
    found: `in with ${shown(tree.right)}, ${typePhrase(type)}, on its right`,
    expected: part ?? field ?? "a list or a map",
    ...(part !== undefined && { nearest: "contains" }),
  }
}

function checkArithmetic(tree: Binary, left: Checked, right: Checked, checker: Checker): Checked {
  const { operator } = tree
  if ((operator === "/" || operator === "%") && tree.right.node === "literal" && tree.right.value === 0) {
    checker.report(tree.right, { found: `${shown(tree)}: a division by zero, which is absent`, expected: "another divisor" })
    return unknown(tree)
  }
  const type = checker.typed.typeOf(tree)
  if (checker.typed.isRefused(tree)) {
    checker.report(tree, arithmeticFault(tree, left, right))
    return unknown(tree)
  }
  const divides = operator === "/" && isSimple(type, "double")
  const certain = [left, right].every(({ absence }) => absence !== "absent") && (operator !== "/" || tree.right.node === "literal")
  const sum: Binary = { ...tree, left: valueTree(left), right: valueTree(right), ...(divides && { double: true }) }
  return computed(sum, type, certain ? (isSimple(type, "string") ? "empty" : "never") : "absent")
}

function arithmeticFault(tree: Binary, left: Checked, right: Checked): { found: string; expected: string } {
  const found = `${shown(tree.left)}, ${typePhrase(left.type)}, ${tree.operator} ${shown(tree.right)}, ${typePhrase(right.type)}`
  if (tree.operator !== "+") {
    const also = tree.operator === "-" ? ", times, durations or quantities" : ""
    return {
      found,
      expected: `numbers${also} on both sides of ${tree.operator}${literalHint(left, right, tree.right) || literalHint(right, left, tree.left)}`,
    }
  }
  if (left.type.kind === "list" && sameType(right.type, itemType(left.type)))
    return { found, expected: `a list on both sides: [${shown(tree.right)}]` }
  const text = isSimple(left.type, "string") ? literalHint(left, right, tree.right) : literalHint(right, left, tree.left)
  return { found, expected: `values of one type that add up${text}` }
}
