/** Checks that several parts of a schema share: documentation, names of TypeScript files, paths to fields. */
import { type Block, textOf } from "./block.ts"
import { expectedWord } from "./diagnostic.ts"
import type { MapNode, SourceFile, SourceNode } from "./source.ts"
import type { KnownType, TypeTable } from "./type-table.ts"

/** Names of TypeScript files that schemas may refer to; absent: any name is accepted. */
export interface KnownNames {
  readonly behaviours?: readonly string[] | undefined
  readonly checks?: readonly string[] | undefined
  readonly cells?: readonly string[] | undefined
  readonly conversions?: readonly string[] | undefined
  readonly warnings?: readonly string[] | undefined
}

/**
 * The doc must be present, begin with a capital letter (or code in backquotes, or a digit) and end with a full stop.
 */
export function checkDoc(block: Block, start: number, subject: string, source: SourceFile): void {
  const doc = block.text("doc")?.trim()
  if (doc === undefined || doc === "") {
    if (!block.has("doc") || doc === "")
      source.report(start, { found: `no "doc" for ${subject}`, expected: "a sentence that says what it is" })
    return
  }
  checkSentence(doc, block.node, block.start("doc"), source)
}

/** The form of a doc at `start` in `map`. A text that was cut at its comma, which is reported, has no full stop. */
export function checkSentence(doc: string, map: MapNode, start: number, source: SourceFile): void {
  if (!/^[\p{Lu}\p{N}`"'(<{[]/u.test(doc))
    source.report(start, { found: `the doc "${head(doc)}"`, expected: "a capital letter at its beginning" })
  const cut = map.flow && map.entries.some(({ value }) => value.node === "scalar" && value.value === null)
  if (!/[.!?)]$/.test(doc) && !cut) source.report(start, { found: `the doc "${head(doc)}"`, expected: "a full stop at its end" })
}

function head(text: string): string {
  return text.length > 30 ? `${text.slice(0, 27)}...` : text
}

/** Names of TypeScript files under `word`. Adds a note for each unknown one when the known names are given. */
export function checkWords(block: Block, word: string, known: readonly string[] | undefined, source: SourceFile): string[] {
  for (const item of block.items(word)) {
    const name = textOf(item)
    if (name !== undefined) checkKnownName(name, item, known, word, source)
  }
  return block.texts(word)
}

/**
 * Checks one such name. A missing file is a note, not an error: a behaviour is written against types that are generated
 * from the schema that names it.
 */
export function checkKnownName(
  name: string,
  node: SourceNode,
  known: readonly string[] | undefined,
  word: string,
  source: SourceFile,
): void {
  if (known !== undefined && !known.includes(name))
    source.note(node.start, { found: `unknown name "${name}" in ${word}`, ...expectedWord(name, known) })
}

/** Reports a path that is not a field of `type`. */
export function checkPath(path: string, node: SourceNode | undefined, type: KnownType, source: SourceFile, table: TypeTable): KnownType {
  const step = table.follow(type, path)
  if (!("fault" in step)) return step.type
  const { found, names } = step.fault
  const last = /"(.*)"/.exec(found)?.[1] ?? path
  const expected = names.length > 0 ? expectedWord(last, names) : { expected: "the path of a field" }
  source.report(node?.start ?? 0, { found: `${found} in the path ${path}`, ...expected })
  return undefined
}
