/**
 * Checks every regular expression of the product for texts that make it take more than linear time: a repetition that
 * backtracks into another or into itself, or that is retried at every position of an inner run (/ +$/). One such
 * pattern on a header stalls the server.
 */
import { analyse } from "scslre"
import ts from "typescript"

/** Names of this module: every access through an import costs a test a call, and these run for every node. */
const {
  forEachChild,
  isBlock,
  isCallExpression,
  isFunctionLike,
  isIdentifier,
  isNewExpression,
  isRegularExpressionLiteral,
  isSourceFile,
  isStringLiteralLike,
  isTemplateExpression,
  isVariableStatement,
} = ts

export interface Expression {
  readonly path: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

/**
 * Functions that build a pattern from a string: which argument is the string, and whether it must match the whole text.
 */
const makers: Readonly<Record<string, { readonly argument: number; readonly whole: boolean }>> = {
  RegExp: { argument: 0, whole: false },
  /** schema/names.ts */
  wholePattern: { argument: 0, whole: true },
  /** schema/formats.ts */
  textPattern: { argument: 1, whole: true },
}

export interface Expressions {
  /** Literals, and patterns built from constants of the same file. */
  readonly found: readonly Expression[]
  /** Patterns built from anything else. */
  readonly unread: readonly string[]
}

/** The regular expressions of a file, given as its path and its tree with parents. */
export function expressionsOf(path: string, parsed: ts.SourceFile): Expressions {
  const found: Expression[] = []
  const unread: string[] = []
  const at = (node: ts.Node): { path: string; line: number } => ({
    path,
    line: parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1,
  })

  function visit(node: ts.Node): void {
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/")
      found.push({ ...at(node), source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    if ((isNewExpression(node) || isCallExpression(node)) && isIdentifier(node.expression)) made(node, node.expression.text)
    forEachChild(node, visit)
  }

  function made(node: ts.NewExpression | ts.CallExpression, name: string): void {
    const maker = Object.hasOwn(makers, name) ? makers[name] : undefined
    const argument = maker === undefined ? undefined : node.arguments?.[maker.argument]
    if (maker === undefined || argument === undefined) return
    const source = textOf(argument)
    if (source === undefined) unread.push(`${path}: ${node.getText()}`)
    else found.push({ ...at(node), source: maker.whole ? `^${source}$` : source, flags: "" })
  }

  visit(parsed)
  return { found, unread }
}

/** The text of a constant expression; undefined when it is not constant. */
function textOf(node: ts.Expression): string | undefined {
  if (isStringLiteralLike(node)) return node.text
  if (isIdentifier(node)) {
    const value = constantNamed(node.text, node)
    return value === undefined ? undefined : textOf(value)
  }
  if (!isTemplateExpression(node)) return undefined
  let text = node.head.text
  for (const { expression, literal } of node.templateSpans) {
    const inner = textOf(expression)
    if (inner === undefined) return undefined
    text += inner + literal.text
  }
  return text
}

/** The value of a name at its use: the nearest `const` of that name; undefined when a parameter is nearer. */
function constantNamed(name: string, used: ts.Node): ts.Expression | undefined {
  for (let around: ts.Node | undefined = used.parent; around !== undefined; around = around.parent) {
    if (isFunctionLike(around) && around.parameters.some((parameter) => parameter.name.getText() === name)) return undefined
    if (!isBlock(around) && !isSourceFile(around)) continue
    for (const statement of around.statements) {
      if (!isVariableStatement(statement)) continue
      const declared = statement.declarationList.declarations.find((one) => one.name.getText() === name)
      if (declared !== undefined) return declared.initializer
    }
  }
  return undefined
}

/** Says how a text can slow the expression down; empty when it takes linear time for every text. */
export function slowness({ source, flags }: { readonly source: string; readonly flags: string }): readonly string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, exponential, character }) =>
      `${exponential ? "exponential" : "quadratic"} time for many ${JSON.stringify(character.pick)} (${type.toLowerCase()})`,
  )
}
