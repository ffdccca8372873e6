/** The sources of this repository for the tidy test: imports, functions and the few constructs that it counts. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

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
}

const folders = ["bench", "cel", "codegen", "generated", "model", "runtime", "scripts", "test"]
/** Input and expected output of the generator, which the golden tests check. */
const passedOver = /^test\/golden\/[^/]+\/|\/node_modules\//

/** Every TypeScript file, read once. */
export function readSources(): readonly SourceFile[] {
  return textFiles(folders, /\.ts$/).map(({ path, text }) => sourceFile(path, text))
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
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
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
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      found.functions.push({ name: functionName(node), line, lines: lineOf(node.getEnd()) - line + 1 })
    }
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type) && !isExplained(textLines, lineOf(node.getEnd())))
      found.bareCasts.push(line)
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.anys.push(line)
    if (isMadeGenerator(node)) found.madeGenerators.push(line)
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return { path, text, lines: textLines.length, ...found }
}

function importOf(node: ts.Node, from: string): Omit<Import, "line"> | undefined {
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return named(node.arguments[0], from, { typeOnly: false, dynamic: true })
  if (ts.isImportTypeNode(node))
    return named(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, from, { typeOnly: true, dynamic: false })
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, from, { typeOnly: isTypeImport(node.importClause), dynamic: false })
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, from, { typeOnly: node.isTypeOnly, dynamic: false })
  return undefined
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  return clause?.phaseModifier === ts.SyntaxKind.TypeKeyword
}

function named(
  specifier: ts.Node | undefined,
  from: string,
  how: { typeOnly: boolean; dynamic: boolean },
): Omit<Import, "line"> | undefined {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined
  const { text } = specifier
  return { target: text.startsWith(".") ? posix.join(posix.dirname(from), text) : text, ...how }
}

function functionName(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.initializer === node
    ? parent.name.getText()
    : "function"
}

/** A generator function that is neither a function of a module nor a method of a class, which exist only once. */
function isMadeGenerator(node: ts.Node): boolean {
  const isGenerator =
    (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isMethodDeclaration(node)) && node.asteriskToken !== undefined
  return isGenerator && !ts.isSourceFile(node.parent) && !ts.isClassLike(node.parent)
}

/** A comment on the line itself, or on the one above it. */
function isExplained(lines: readonly string[], line: number): boolean {
  return /\/\/|\*\//.test(lines[line - 1] ?? "") || /^\s*(\/\/|\*|\/\*)/.test(lines[line - 2] ?? "")
}
