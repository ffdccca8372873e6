/** Checks `failures`: they word keywords that are stated beside them. */
import { constraintTable } from "../../runtime/schema/constraints.ts"
import { presenceWords } from "../../runtime/schema/reported.ts"
import { Block } from "./block.ts"
import { expectedWord } from "./diagnostic.ts"
import type { SourceFile } from "./source.ts"

/** Keywords of a field, and of its items, keys or values, whose failures can be worded. */
export const wordedKeywords: readonly string[] = [...presenceWords, ...constraintTable.map(({ word }) => word)]

/** Called for each block that may have `failures`; `words` are the ones that it can fail by. Reports in its file. */
export function checkFailures(block: Block, words: readonly string[], source: SourceFile): void {
  for (const { key, keyStart, value } of block.members("failures")) {
    if (!words.includes(key)) {
      const stated = wordedKeywords.includes(key) ? { expected: `${key} beside it` } : expectedWord(key, words)
      source.report(keyStart, { found: `"${key}" in failures`, ...stated })
    }
    if (value.node !== "map") continue
    const inner = new Block(value)
    checkSupported(inner, inner.text("reason") ?? (key === "enum" ? "NotSupported" : "another"), source)
  }
}

/** Only failures with reason NotSupported list values. */
export function checkSupported(block: Block, reason: string, source: SourceFile): void {
  if (reason !== "NotSupported" && block.has("supported"))
    source.report(block.start("supported"), { found: "supported without reason NotSupported", expected: "reason: NotSupported" })
}
