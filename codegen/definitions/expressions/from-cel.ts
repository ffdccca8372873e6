/**
 * The seam from CEL to the dialect's expressions. Where the two languages are one, this file returns its input.
 *
 * One parser reads both languages. A function that the dialect does not declare is a fault. Types are checked with the
 * whole schema.
 */
import { childTrees } from "../../../model/expression/trees.ts"
import { parseExpression } from "../../../model/expression/read.ts"
import type { ExpressionTree } from "../../../model/model.ts"
import { oneLine } from "../names.ts"
import { fieldNameOf } from "./escapes.ts"

/** An expression in the dialect, or the reason why there is none. */
export type FromCel =
  | {
      readonly text: string
      /** Whether the stored object is used: the rule holds on updates alone. */
      readonly usesOld: boolean
      /** Optional fields that are read without a test: absent is an error of CEL, and false in the dialect. */
      readonly unguarded: readonly string[]
    }
  | { readonly fault: string }

/** Words that begin an expression by themselves: a field of that name is written with `self.`. */
const ownNames: ReadonlySet<string> = new Set(["self", "oldSelf", "root", "oldRoot", "true", "false", "null", "in", "has", "size"])

/**
 * Returns the expression of a rule in the dialect. `field`: the rule belongs to this field, and becomes a rule of the
 * struct around it. `required`: the fields of the struct that are never absent.
 */
export function expressionFromCel(cel: string, required: ReadonlySet<string>, field?: string): FromCel {
  const flat = oneLine(cel)
  const parsed = parseExpression(flat)
  if ("fault" in parsed) return { fault: faultText(parsed.fault) }
  const { tree, positions } = parsed
  const variables = variablesOf(tree)
  const edits: Edit[] = []
  const walk = (node: ExpressionTree, parent?: ExpressionTree): void => {
    const at = positions.get(node)
    if (node.node === "select" && at !== undefined) {
      const name = fieldNameOf(node.field)
      if (name !== node.field) edits.push(selectEdit(flat, at, node.field, name))
    }
    if (node.node === "name" && at !== undefined) edits.push(...nameEdits(node.name, at, { parent, field, variables, text: flat }))
    for (const child of childTrees(node)) walk(child, node)
  }
  walk(tree)
  return {
    text: applied(flat, edits),
    usesOld: namesOf(tree).has("oldSelf"),
    unguarded: field === undefined ? unguardedOf(tree, required) : [],
  }
}

function faultText({ found, expected }: { readonly found: string; readonly expected: string }): string {
  if (/^one of the functions /.test(expected)) return `the dialect has no function ${found.replace("(", "")}`
  return expected === "" ? found : `${found}; expected ${expected}`
}

interface Edit {
  readonly at: number
  readonly length: number
  readonly text: string
}

interface NameContext {
  readonly parent: ExpressionTree | undefined
  readonly field: string | undefined
  readonly variables: ReadonlySet<string>
  readonly text: string
}

/** `self.x` is `x` in the rules of a struct; in the rule of a field x, `self` is `x` and `oldSelf` is `oldSelf.x`. */
function nameEdits(name: string, at: number, { parent, field, variables, text }: NameContext): Edit[] {
  if (field !== undefined && (name === "self" || name === "oldSelf")) {
    const isPlain = name === "self" && !variables.has(field) && !ownNames.has(field)
    return [{ at, length: name.length, text: isPlain ? field : `${name}.${field}` }]
  }
  if (name !== "self" || parent?.node !== "select") return []
  const selected = fieldNameOf(parent.field)
  if (variables.has(selected) || ownNames.has(selected) || !plainName.test(selected)) return []
  const dot = /^self\s*\.\s*/.exec(text.slice(at))
  return dot === null ? [] : [{ at, length: dot[0].length, text: "" }]
}

const plainName = /^[A-Za-z_]\w*$/

/** `.is__dash__set` is `["is-set"]`: the name has no other form. */
function selectEdit(text: string, at: number, written: string, name: string): Edit {
  if (plainName.test(name)) return { at, length: written.length, text: name }
  const dot = text.lastIndexOf(".", at)
  return { at: dot, length: at + written.length - dot, text: `[${JSON.stringify(name)}]` }
}

function applied(text: string, edits: readonly Edit[]): string {
  let made = ""
  let from = 0
  for (const { at, length, text: replacement } of edits.toSorted((left, right) => left.at - right.at)) {
    made += text.slice(from, at) + replacement
    from = at + length
  }
  return made + text.slice(from)
}

function variablesOf(tree: ExpressionTree): Set<string> {
  const found = new Set(childTrees(tree).flatMap((child) => [...variablesOf(child)]))
  return tree.node === "macro" ? found.add(tree.variable) : found
}

function namesOf(tree: ExpressionTree): Set<string> {
  const found = new Set(childTrees(tree).flatMap((child) => [...namesOf(child)]))
  return tree.node === "name" ? found.add(tree.name) : found
}

/** Fields of the struct that are read although no `has` of the expression tests them. */
function unguardedOf(tree: ExpressionTree, required: ReadonlySet<string>): string[] {
  const read = new Set<string>()
  const tested = new Set<string>()
  const walk = (node: ExpressionTree): void => {
    const name = node.node === "select" && node.of.node === "name" && node.of.name === "self" ? fieldNameOf(node.field) : undefined
    if (name !== undefined) read.add(name)
    if (node.node === "call" && node.function === "has") {
      const [argument] = node.arguments
      if (argument?.node === "select" && argument.of.node === "name" && argument.of.name === "self") tested.add(fieldNameOf(argument.field))
    }
    for (const child of childTrees(node)) walk(child)
  }
  walk(tree)
  return [...read].filter((name) => !tested.has(name) && !required.has(name))
}

/** A CEL text with values: the literal parts, and the expressions between them, one fewer than parts. */
export interface FormattedText {
  readonly literals: readonly string[]
  readonly values: readonly string[]
}

/** Reads `"at most %d".format([self.size])`; undefined for other expressions. */
export function formattedText(cel: string): FormattedText | undefined {
  const match = /^\s*("(?:[^"\\]|\\["'\\])*"|'(?:[^'\\]|\\["'\\])*')\s*\.format\(\[(.*)\]\)\s*$/s.exec(cel)
  if (match === null) return undefined
  const [, quoted = "", list = ""] = match
  const literals = quoted
    .slice(1, -1)
    .replaceAll(/\\(.)/g, "$1")
    .split(/%(?:[sd]|\.\d+f)/)
    .map((literal) => literal.replaceAll("%%", "%"))
  const values = partsOf(list)
  return values.length === literals.length - 1 ? { literals, values } : undefined
}

/** The parts between commas outside of parentheses, brackets and quotes. */
function partsOf(list: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let part = ""
  for (const [token] of list.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^]/g)) {
    if (/[([{]/.test(token) && token.length === 1) depth += 1
    if (/[)\]}]/.test(token) && token.length === 1) depth -= 1
    if (token === "," && depth === 0) {
      parts.push(part.trim())
      part = ""
    } else part += token
  }
  return part.trim() === "" ? parts : [...parts, part.trim()]
}
