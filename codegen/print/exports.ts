/** Reads which values a TypeScript file exports. Parses alone, without types: a millisecond for a file. */
import { ts } from "ts-morph"

/** The names of exported values; undefined where the file passes on all exports of another one. */
export function exportedNames(text: string): ReadonlySet<string> | undefined {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest)
  const names = new Set<string>()
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      if (statement.isTypeOnly) continue
      if (statement.exportClause === undefined) return undefined
      if (ts.isNamedExports(statement.exportClause))
        for (const { name, isTypeOnly } of statement.exportClause.elements) {
          if (!isTypeOnly) names.add(name.text)
        }
    } else for (const name of declaredNames(statement)) names.add(name)
  }
  return names
}

function declaredNames(statement: ts.Statement): readonly string[] {
  if (!ts.canHaveModifiers(statement)) return []
  const words = new Set(ts.getModifiers(statement)?.map(({ kind }) => kind))
  if (!words.has(ts.SyntaxKind.ExportKeyword) || words.has(ts.SyntaxKind.DeclareKeyword)) return []
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return statement.name === undefined ? [] : [statement.name.text]
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
}
