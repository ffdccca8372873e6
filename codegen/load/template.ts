/** Texts that contain `{{expression}}`: messages of rules and warnings. */
import type { TemplatePart } from "../../model/model.ts"
import { checkExpression, type Scope, type WrittenExpression } from "./check-expression.ts"

/**
 * Called for each message; `what` names it in faults. Checks its expressions like any other; reports an opening `{{`
 * without its end, and the forms that other languages have for `{{expression}}`.
 */
export function parseTemplate(
  text: string,
  { node, source, table }: Pick<WrittenExpression, "node" | "source" | "table">,
  scope: Scope,
  what: string,
): TemplatePart[] {
  const parts: TemplatePart[] = []
  const report = (offset: number, found: string, expected: string): void =>
    source.report(source.offsetInside(node, offset), { found, expected })
  let position = 0
  while (position < text.length) {
    const open = text.indexOf("{{", position)
    checkLiteralPart(text.slice(position, open < 0 ? text.length : open), position, report)
    if (open < 0) break
    const close = text.indexOf("}}", open + 2)
    if (close < 0) {
      report(open, "{{ without its end", "}} after the expression")
      return parts
    }
    if (open > position) parts.push(text.slice(position, open))
    const written = { text: text.slice(open + 2, close), node, source, table, base: open + 2 }
    const expression = checkExpression(written, scope, { want: "text", what: `a part of ${what}` })
    if (expression !== undefined) parts.push(expression)
    position = close + 2
  }
  if (position < text.length) parts.push(text.slice(position))
  return parts
}

function checkLiteralPart(text: string, start: number, report: (offset: number, found: string, expected: string) => void): void {
  const shell = /\$\{[^}]*\}/.exec(text)
  if (shell !== null) report(start + shell.index, shell[0], `{{${shell[0].slice(2, -1)}}}: two braces, without a dollar`)
  else if (text.includes("}}")) report(start + text.indexOf("}}"), "}} without its beginning", "{{ before the expression")
}
