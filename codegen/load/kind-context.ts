/**
 * Shared by the readers of a kind file: the kind, all other kinds, and the checks of references to kinds and of paths.
 */
import { type Block, textOf } from "./block.ts"
import { checkPath, type KnownNames } from "./checks.ts"
import { type FileDeclaration, folderOfGroup } from "./declare.ts"
import { expectedWord } from "./diagnostic.ts"
import type { SourceFile } from "./source.ts"
import type { KnownType, TypeTable } from "./type-table.ts"

/** A file that declares a kind. */
export type KindDeclaration = FileDeclaration & { readonly kind: string }

export interface KindContext {
  readonly file: KindDeclaration
  readonly source: SourceFile
  readonly table: TypeTable
  readonly known: KnownNames
  /** All kinds by `core/v1 Event`. */
  readonly kinds: ReadonlyMap<string, KindDeclaration>
  readonly self: KnownType
  /** Type of the stored form. */
  readonly stored: KnownType
}

/** `core/v1 Event`, as schemas refer to a kind of another file. */
export function kindKey(group: string, version: string, kind: string): string {
  return `${folderOfGroup(group)}/${version} ${kind}`
}

/** Finds the kind that `core/v1 Event` names; `v1 Event` is of the core group. Reports a missing kind at `start`. */
export function findKind(
  written: string,
  start: number,
  source: SourceFile,
  kinds: ReadonlyMap<string, KindDeclaration>,
): KindDeclaration | undefined {
  const key = written.includes("/") ? written : `core/${written}`
  const found = kinds.get(key)
  if (found === undefined && /^\S+ \S+$/.test(key)) {
    const { nearest } = expectedWord(key, kinds.keys())
    source.report(start, {
      found: `unknown kind "${written}"`,
      expected: "a kind that some schema file declares, as group/version Kind",
      ...(nearest !== undefined && { nearest }),
    })
  }
  return found
}

/** Paths below the kind's type, each checked; absent when the word is absent. */
export function paths(block: Block | undefined, word: string, context: KindContext): string[] | undefined {
  if (block === undefined || !block.has(word)) return undefined
  for (const item of block.items(word)) {
    const path = textOf(item)
    if (path !== undefined) checkPath(path, item, context.self, context.source, context.table)
  }
  return block.texts(word)
}
