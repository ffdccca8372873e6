/**
 * Typed reading of a mapping that passed `checkFormat`. A value of the wrong form, which is already reported, reads as
 * absent, so that later checks continue and one run finds every error of a schema.
 */
import type { JsonValue } from "../../runtime/base/json.ts"
import { type MapEntry, type MapNode, type SourceNode, toJson } from "./source.ts"

export class Block {
  private readonly entries: ReadonlyMap<string, MapEntry>

  constructor(readonly node: MapNode) {
    this.entries = new Map(node.entries.map((entry) => [entry.key, entry]))
  }

  has(word: string): boolean {
    return this.entries.has(word)
  }

  /** The value's node, where diagnostics about it point. */
  get(word: string): SourceNode | undefined {
    return this.entries.get(word)?.value
  }

  /** The offset for an error about `word`: its value, or the block itself when it is absent. */
  start(word: string): number {
    return this.entries.get(word)?.value.start ?? this.node.start
  }

  text(word: string): string | undefined {
    return textOf(this.get(word))
  }

  /** An expression may be written as a bare number or boolean. */
  expressionText(word: string): string | undefined {
    const node = this.get(word)
    if (node?.node !== "scalar" || node.value === null) return undefined
    return String(node.value)
  }

  flag(word: string): boolean | undefined {
    const node = this.get(word)
    return node?.node === "scalar" && typeof node.value === "boolean" ? node.value : undefined
  }

  number(word: string): number | undefined {
    const node = this.get(word)
    if (node?.node !== "scalar") return undefined
    if (typeof node.value === "bigint") return Number(node.value)
    return typeof node.value === "number" ? node.value : undefined
  }

  constant(word: string): JsonValue | undefined {
    const node = this.get(word)
    return node === undefined ? undefined : toJson(node)
  }

  items(word: string): readonly SourceNode[] {
    const node = this.get(word)
    return node?.node === "list" ? node.items : []
  }

  /** The strings of a list; other items were reported. */
  texts(word: string): string[] {
    return this.items(word).flatMap((item) => textOf(item) ?? [])
  }

  block(word: string): Block | undefined {
    const node = this.get(word)
    return node?.node === "map" ? new Block(node) : undefined
  }

  blocks(word: string): Block[] {
    return this.items(word).flatMap((item) => (item.node === "map" ? [new Block(item)] : []))
  }

  /** Entries of a map with free keys, in file order. */
  members(word: string): readonly MapEntry[] {
    const node = this.get(word)
    return node?.node === "map" ? node.entries : []
  }

  /** The value if it is one of `words`, with its literal type. */
  word<const Word extends string | boolean>(word: string, words: readonly Word[]): Word | undefined {
    const node = this.get(word)
    return node?.node === "scalar" ? words.find((candidate) => candidate === node.value) : undefined
  }
}

/** The text of a scalar node; absent otherwise. */
export function textOf(node: SourceNode | undefined): string | undefined {
  return node?.node === "scalar" && typeof node.value === "string" ? node.value : undefined
}
