/**
 * Loops over users' objects take turns of the event loop. `await` alone is no turn: a settled promise, as from most
 * reads of the cache, goes on within the turn, and ten thousand rounds of it hold every other request.
 */
import ts from "typescript"

/** Names of this module: every access through an import costs a test a call, and these run for every node. */
const { forEachChild, isCallExpression, isForOfStatement, isForStatement, isFunctionLike, isIdentifier } = ts
const { isAwaitExpression, isObjectLiteralExpression, isPropertyAccessExpression, isWhileStatement, isYieldExpression, isDoStatement } = ts

/** Parts that work on data that clients send and store. They pass pieces of bounded size to all other parts. */
const areas =
  /^runtime\/(admission|audit|authn|authz|behaviours|client|connect|controllers|definitions|discovery|filters|hooks|observability|openapi|registry|verbs)\//
/** Tests, and programs that a developer runs. */
const passedOver = /\.test\.ts$|\/record\.ts$/

/** Functions that give other work a turn, or that do so between the items that they are given. */
const takers = new Set(["inParallel", "inTurns", "nextTurn", "visitContent", "workOn"])
/** Methods of `Turns` and `SharedTurns` that begin another turn, or say that it is time for one. */
const turnMethods = new Set(["endsStage", "isOver", "next", "pause"])

/** Precedes the reason why a loop needs no turns, in a comment on its line or the line above. */
const excuse = /\/\/ Bounded: \S+ \S+/

/** The faults of one file, each with its line. */
export function loopFaults(path: string, parsed: ts.SourceFile): string[] {
  if (!areas.test(path) || passedOver.test(path)) return []
  const lines = parsed.text.split("\n")
  const faults: string[] = []
  const judge = (node: ts.Node, fault: string): void => {
    const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line
    if (excuse.test(lines[line] ?? "") || excuse.test(lines[line - 1] ?? "")) return
    faults.push(`${line + 1}: ${fault}`)
  }
  const visit = (node: ts.Node, within: ts.Node): void => {
    if (isOverItems(node) && waits(node) && !takesTurns(node))
      judge(node, "awaits in a loop and takes no turn: use Turns, or say `// Bounded: why` beside it")
    if (isWalkOfSnapshot(node) && !takesTurns(within))
      judge(node, "walks stored objects and takes no turn: use Turns, or say `// Bounded: why` beside it")
    forEachChild(node, (child) => visit(child, isFunctionLike(node) ? node : within))
  }
  visit(parsed, parsed)
  return faults
}

/** A loop whose rounds are items: `for of`, or one that counts up to a length. Loops that try again are not. */
function isOverItems(node: ts.Node): node is ts.IterationStatement {
  if (isForOfStatement(node)) return true
  const condition = isForStatement(node) ? node.condition : isWhileStatement(node) || isDoStatement(node) ? node.expression : undefined
  return condition !== undefined && /\.(length|size)\b/.test(condition.getText())
}

/** A walk over objects of the watch cache: `snapshot.entries({ prefix })`. */
function isWalkOfSnapshot(node: ts.Node): boolean {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false
  const [options] = node.arguments
  return node.expression.name.text === "entries" && options !== undefined && /^\{.*\bprefix\b|^range$/s.test(options.getText())
}

function waits(loop: ts.IterationStatement): boolean {
  return (isForOfStatement(loop) && loop.awaitModifier !== undefined) || holds(loop.statement, isAwaitExpression)
}

/** Whether turns are taken within, or by a function that gets `turns`. Stages are turns of their caller. */
function takesTurns(node: ts.Node): boolean {
  return holds(node, (inner) => isYieldExpression(inner) || (isCallExpression(inner) && isTurnCall(inner)))
}

function isTurnCall({ arguments: given, expression }: ts.CallExpression): boolean {
  if (isIdentifier(expression) && takers.has(expression.text)) return true
  if (given.some(handsOnTurns)) return true
  return isPropertyAccessExpression(expression) && turnMethods.has(expression.name.text) && /\bturns$/.test(expression.expression.getText())
}

/** `turns`, alone or among named arguments. */
function handsOnTurns(argument: ts.Expression): boolean {
  if (isObjectLiteralExpression(argument)) return argument.properties.some(({ name }) => name?.getText() === "turns")
  return isIdentifier(argument) && argument.text === "turns"
}

/** Whether there is such a node below, except in inner functions, which run at another time. */
function holds(node: ts.Node, test: (inner: ts.Node) => boolean): boolean {
  let found = false
  const visit = (inner: ts.Node): void => {
    if (found || (isFunctionLike(inner) && inner !== node)) return
    found = test(inner)
    if (!found) forEachChild(inner, visit)
  }
  visit(node)
  return found
}
