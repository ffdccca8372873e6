/** Texts that contain `{{expression}}`: messages of rules and warnings. */
import type { TemplatePart } from "../../model/model.ts"
import { checkExpression, type Scope } from "./check-expression.ts"
import type { SourceFile, SourceNode } from "./source.ts"
import type { TypeTable } from "./type-table.ts"

/** Called for each message. Checks its expressions like any other; reports an opening `{{` without its end. */
export function parseTemplate(text: string, node: SourceNode, source: SourceFile, table: TypeTable, scope: Scope): TemplatePart[] {
  const parts: TemplatePart[] = []
  let position = 0
  while (position < text.length) {
    const open = text.indexOf("{{", position)
    if (open < 0) break
    const close = text.indexOf("}}", open + 2)
    if (close < 0) {
      source.report(source.offsetInside(node, open), { found: "{{ without its end", expected: "}} after the expression" })
      return parts
    }
    if (open > position) parts.push(text.slice(position, open))
    const expression = checkExpression(text.slice(open + 2, close), node, source, table, scope, open + 2)
    if (expression !== undefined) parts.push(expression)
    position = close + 2
  }
  if (position < text.length) parts.push(text.slice(position))
  return parts
}
