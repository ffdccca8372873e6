/**
 * The server's code with a counter: every loop iteration and every function call counts one, and built-ins that copy or
 * search a list, an object or a text count its length. So the cost of a request is a number that is the same on every
 * machine, however busy.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import ts from "typescript"

/** Precedes the bundle. `$count` counts the elements that built-in functions visit. */
const prelude = `
let $steps = 0
function $count(value) {
  if (typeof value === "string" || Array.isArray(value)) $steps += value.length
  else if (value instanceof Set || value instanceof Map) $steps += value.size
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) $steps += Object.keys(value).length
  return value
}
const $countList = (value) => (Array.isArray(value) ? $count(value) : value)
globalThis.stepsCounted = () => $steps
`

/** Built-ins that walk their receiver without calling our code. */
const walking = new Set([
  "concat",
  "copyWithin",
  "fill",
  "flat",
  "includes",
  "indexOf",
  "join",
  "lastIndexOf",
  "reverse",
  "shift",
  "slice",
  "sort",
  "splice",
  "toReversed",
  "toSorted",
  "unshift",
])
/**
 * Built-ins counted for lists only: on texts they end at the first match, cut without copying, or read one position.
 */
const walkingLists = new Set(["concat", "includes", "indexOf", "lastIndexOf", "slice"])
const walkingArguments = new Set(["Object.keys", "Object.values", "Object.entries", "Object.fromEntries", "Object.assign", "Array.from"])
const walkingResults = new Set(["JSON.stringify"])

/**
 * Bundles `entry` with counters in the product's own code. Returns the file, and `remove` for when it is no longer
 * needed.
 */
export async function buildCounting(entry: string, repository: string): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "orch-scaling-"))
  const file = join(folder, "counting.mjs")
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
    banner: { js: prelude },
    plugins: [counting(repository), packagesByPath()],
  })
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}

function counting(repository: string): Plugin {
  const counted = new RegExp(`^${repository.replace(/[^\w/]/g, "\\$&")}/(runtime|generated|codegen|cel)/.*\\.ts$`)
  return {
    name: "counting",
    setup(setup) {
      setup.onLoad({ filter: counted }, async ({ path }) => ({ contents: withCounters(await readFile(path, "utf8"), path), loader: "js" }))
    },
  }
}

/** Resolves packages to their installed paths, since the bundle is in another folder. */
function packagesByPath(): Plugin {
  return {
    name: "packages-by-path",
    setup(setup) {
      setup.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === "entry-point" || path.startsWith("node:") ? undefined : { path: import.meta.resolve(path), external: true },
      )
    },
  }
}

function withCounters(source: string, path: string): string {
  return ts.transpileModule(source, {
    fileName: path,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    transformers: { before: [counters] },
  }).outputText
}

const { factory } = ts
const step = (): ts.Expression => factory.createPostfixIncrement(factory.createIdentifier("$steps"))
const counted = (expression: ts.Expression): ts.Expression =>
  factory.createCallExpression(factory.createIdentifier("$count"), undefined, [expression])

const counters: ts.TransformerFactory<ts.SourceFile> = (context) => {
  const visit = (node: ts.Node): ts.Node => withCounter(ts.visitEachChild(node, visit, context))
  return (file) => ts.visitEachChild(file, visit, context)
}

function withCounter(node: ts.Node): ts.Node {
  if (ts.isIterationStatement(node, false)) return withCountedTurns(node)
  if (ts.isFunctionLike(node)) return withCountedCalls(node)
  if (ts.isSpreadElement(node)) return factory.updateSpreadElement(node, counted(node.expression))
  if (ts.isSpreadAssignment(node)) return factory.updateSpreadAssignment(node, counted(node.expression))
  if (ts.isVariableDeclaration(node) && node.initializer !== undefined && hasRest(node.name)) {
    return factory.updateVariableDeclaration(node, node.name, node.exclamationToken, node.type, counted(node.initializer))
  }
  return ts.isCallExpression(node) ? withCountedWalk(node) : node
}

function hasRest(name: ts.BindingName): boolean {
  return ts.isObjectBindingPattern(name) && name.elements.some((element) => element.dotDotDotToken !== undefined)
}

function withCountedTurns(node: ts.IterationStatement): ts.Node {
  const body = factory.createBlock([factory.createExpressionStatement(step()), node.statement])
  if (ts.isForInStatement(node)) return factory.updateForInStatement(node, node.initializer, counted(node.expression), body)
  if (ts.isForOfStatement(node)) return factory.updateForOfStatement(node, node.awaitModifier, node.initializer, node.expression, body)
  if (ts.isForStatement(node)) return factory.updateForStatement(node, node.initializer, node.condition, node.incrementor, body)
  if (ts.isWhileStatement(node)) return factory.updateWhileStatement(node, node.expression, body)
  return ts.isDoStatement(node) ? factory.updateDoStatement(node, body, node.expression) : node
}

function withCountedCalls(node: ts.SignatureDeclaration): ts.Node {
  if (ts.isArrowFunction(node)) {
    const body = ts.isBlock(node.body) ? withStep(node.body) : factory.createParenthesizedExpression(factory.createComma(step(), node.body))
    return factory.updateArrowFunction(
      node,
      node.modifiers,
      node.typeParameters,
      node.parameters,
      node.type,
      node.equalsGreaterThanToken,
      body,
    )
  }
  if (ts.isFunctionDeclaration(node) && node.body !== undefined) {
    const { modifiers, asteriskToken, name, typeParameters, parameters, type } = node
    return factory.updateFunctionDeclaration(node, modifiers, asteriskToken, name, typeParameters, parameters, type, withStep(node.body))
  }
  if (ts.isMethodDeclaration(node) && node.body !== undefined) {
    const { modifiers, asteriskToken, name, questionToken, typeParameters, parameters, type } = node
    const body = withStep(node.body)
    return factory.updateMethodDeclaration(node, modifiers, asteriskToken, name, questionToken, typeParameters, parameters, type, body)
  }
  return node
}

function withStep(body: ts.Block): ts.Block {
  return factory.updateBlock(body, [factory.createExpressionStatement(step()), ...body.statements])
}

function withCountedWalk(node: ts.CallExpression): ts.Node {
  const { expression, arguments: args } = node
  if (!ts.isPropertyAccessExpression(expression)) return node
  const name = expression.name.text
  const [first, ...others] = args
  const called = ts.isIdentifier(expression.expression) ? `${expression.expression.text}.${name}` : ""
  if (walkingResults.has(called)) return counted(node)
  if (walkingArguments.has(called) && first !== undefined) {
    return factory.updateCallExpression(node, expression, node.typeArguments, [counted(first), ...others])
  }
  if (!walking.has(name)) return node
  const helper = walkingLists.has(name) ? "$countList" : "$count"
  const receiver = factory.createCallExpression(factory.createIdentifier(helper), undefined, [expression.expression])
  const access = factory.updatePropertyAccessExpression(expression, receiver, expression.name)
  return factory.updateCallExpression(node, access, node.typeArguments, args)
}
