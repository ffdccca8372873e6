/** The sources of this repository for the tidy test: imports, functions and the few constructs that it counts. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { commentLines, type ProseLine } from "./prose.ts"
import { loopFaults } from "./loops.ts"
import { type Expressions, expressionsOf } from "./regexps.ts"

/** Names of this module: every access through an import costs a test a call, and these run for every node. */
const {
  createSourceFile,
  forEachChild,
  isAsExpression,
  isCallExpression,
  isClassLike,
  isConstTypeReference,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isFunctionLike,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMethodDeclaration,
  isPropertyAssignment,
  isSourceFile,
  isStringLiteralLike,
  isVariableDeclaration,
  ScriptTarget,
  SyntaxKind,
} = ts

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Import {
  /** Path in the repository, or the name of a package. */
  readonly target: string
  readonly line: number
  /** Erased at run time. */
  readonly typeOnly: boolean
  /** `import()`: runs when the code runs, not when the module loads. */
  readonly dynamic: boolean
}

export interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Every function with a body: its name, first line and length. */
  readonly functions: readonly { readonly name: string; readonly line: number; readonly lines: number }[]
  /** Lines of `x as T` without a comment on the same line or the one above. */
  readonly bareCasts: readonly number[]
  /** Lines of `any`. */
  readonly anys: readonly number[]
  /** Lines of generator functions that are created on every run of a function. */
  readonly madeGenerators: readonly number[]
  /** The lines of its comments. */
  readonly comments: readonly ProseLine[]
  /** Its regular expressions. */
  readonly expressions: Expressions
  /** Loops that would hold the event loop, with their lines. */
  readonly loops: readonly string[]
}

const folders = ["bench", "cel", "codegen", "generated", "model", "runtime", "scripts", "test"]
/** Input and expected output of the generator, which the golden tests check. */
const passedOver = /^test\/golden\/[^/]+\/|\/node_modules\//

let sources: readonly SourceFile[] | undefined

/** Every TypeScript file, read and parsed once in a process. */
export function readSources(): readonly SourceFile[] {
  sources ??= textFiles(folders, /\.ts$/).map(({ path, text }) => sourceFile(path, text))
  return sources
}

/** Files below these folders whose names match, with their texts. */
export function textFiles(below: readonly string[], name: RegExp): readonly { readonly path: string; readonly text: string }[] {
  const paths = below.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
  )
  return paths
    .filter((path) => name.test(path) && !passedOver.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }))
}

function sourceFile(path: string, text: string): SourceFile {
  const parsed = createSourceFile(path, text, ScriptTarget.ES2022, true)
  const lineOf = (position: number): number => parsed.getLineAndCharacterOfPosition(position).line + 1
  const textLines = text.split("\n")
  const found = {
    imports: [] as Import[],
    functions: [] as SourceFile["functions"][number][],
    bareCasts: [] as number[],
    anys: [] as number[],
    madeGenerators: [] as number[],
  } // Filled below.
  function visit(node: ts.Node): void {
    const line = lineOf(node.getStart())
    const imported = importOf(node, path)
    if (imported !== undefined) found.imports.push({ ...imported, line })
    if (isFunctionLike(node) && "body" in node && node.body !== undefined) {
      found.functions.push({ name: functionName(node), line, lines: lineOf(node.getEnd()) - line + 1 })
    }
    if (isAsExpression(node) && !isConstTypeReference(node.type) && !isExplained(textLines, lineOf(node.getEnd())))
      found.bareCasts.push(line)
    if (node.kind === SyntaxKind.AnyKeyword) found.anys.push(line)
    if (isMadeGenerator(node)) found.madeGenerators.push(line)
    forEachChild(node, visit)
  }
  visit(parsed)
  const comments = commentLines(text, parsed)
  return {
    path,
    text,
    lines: textLines.length,
    ...found,
    comments,
    expressions: expressionsOf(path, parsed),
    loops: loopFaults(path, parsed),
  }
}

function importOf(node: ts.Node, from: string): Omit<Import, "line"> | undefined {
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword)
    return named(node.arguments[0], from, { typeOnly: false, dynamic: true })
  if (isImportTypeNode(node))
    return named(isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, from, { typeOnly: true, dynamic: false })
  if (isImportDeclaration(node)) return named(node.moduleSpecifier, from, { typeOnly: isTypeImport(node.importClause), dynamic: false })
  if (isExportDeclaration(node)) return named(node.moduleSpecifier, from, { typeOnly: node.isTypeOnly, dynamic: false })
  return undefined
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === SyntaxKind.TypeKeyword
}

function named(
  specifier: ts.Node | undefined,
  from: string,
  how: { typeOnly: boolean; dynamic: boolean },
): Omit<Import, "line"> | undefined {
  if (specifier === undefined || !isStringLiteralLike(specifier)) return undefined
  const { text } = specifier
  return { target: text.startsWith(".") ? posix.join(posix.dirname(from), text) : text, ...how }
}

function functionName(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return (isVariableDeclaration(parent) || isPropertyAssignment(parent)) && parent.initializer === node ? parent.name.getText() : "function"
}

/** A generator function that is neither a module's function nor a method of a class, which exist only once. */
function isMadeGenerator(node: ts.Node): boolean {
  const isGenerator =
    (isFunctionDeclaration(node) || isFunctionExpression(node) || isMethodDeclaration(node)) && node.asteriskToken !== undefined
  return isGenerator && !isSourceFile(node.parent) && !isClassLike(node.parent)
}

/** A comment on the line itself, or on the one above it. */
function isExplained(lines: readonly string[], line: number): boolean {
  return /\/\/|\*\//.test(lines[line - 1] ?? "") || /^\s*(\/\/|\*|\/\*)/.test(lines[line - 2] ?? "")
}
