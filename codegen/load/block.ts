/**
 * Typed reading of a mapping that passed `checkForm`. Where the form was wrong (and so already reported) the answers are as if the key were absent,
 * so that the checks of meaning go on and every fault of a schema is found in one run.
 */
import type { JsonValue } from "../../runtime/kit/json.ts"
import { type MapEntry, type MapNode, type SourceNode, toJson } from "./source.ts"

export class Block {
  private readonly entries: ReadonlyMap<string, MapEntry>

  constructor(readonly node: MapNode) {
    this.entries = new Map(node.entries.map((entry) => [entry.key, entry]))
  }

  has(word: string): boolean {
    return this.entries.has(word)
  }

  /** The value's node: where diagnostics about it point. */
  get(word: string): SourceNode | undefined {
    return this.entries.get(word)?.value
  }

  /** Offset that a fault about `word` names: its value, or the block itself when it is absent. */
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

  /** Texts of a list; other items were reported. */
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

  /** Entries of a map with free keys, in the order of the file. */
  members(word: string): readonly MapEntry[] {
    const node = this.get(word)
    return node?.node === "map" ? node.entries : []
  }

  /** The word if it is one of `words`: a closed list as a typed value. */
  word<const Word extends string | boolean>(word: string, words: readonly Word[]): Word | undefined {
    const node = this.get(word)
    return node?.node === "scalar" ? words.find((candidate) => candidate === node.value) : undefined
  }
}

/** The text of a scalar node, absent for anything else. */
export function textOf(node: SourceNode | undefined): string | undefined {
  return node?.node === "scalar" && typeof node.value === "string" ? node.value : undefined
}
