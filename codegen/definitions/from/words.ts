/** A schema of a definition while it is read: every keyword that nothing has read is reported as lost. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import type { Findings, Path } from "../findings.ts"

export class Words {
  private readonly read = new Set<string>()

  /** `prefix`: the prefix of extensions, such as `x-kubernetes-` in `x-kubernetes-list-type`. */
  constructor(
    readonly schema: JsonObject,
    readonly at: Path,
    readonly findings: Findings,
    readonly prefix: string,
  ) {}

  /** The value of a keyword, which counts as read. */
  take(word: string): JsonValue | undefined {
    this.read.add(word)
    return this.schema[word]
  }

  text(word: string): string | undefined {
    const value = this.take(word)
    return typeof value === "string" ? value : undefined
  }

  number(word: string): number | undefined {
    const value = this.take(word)
    return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined
  }

  flag(word: string): boolean {
    return this.take(word) === true
  }

  list(word: string): readonly JsonValue[] {
    const value = this.take(word)
    return Array.isArray(value) ? value : []
  }

  texts(word: string): readonly string[] {
    return this.list(word).filter((item) => typeof item === "string")
  }

  object(word: string): JsonObject | undefined {
    const value = this.take(word)
    return isObject(value) ? value : undefined
  }

  /** The name of an extension: `x-kubernetes-list-type` for `list-type`. */
  extension(name: string): string {
    return this.prefix + name
  }

  /** The words of an inner schema. */
  inner(schema: JsonObject, ...path: Path): Words {
    return new Words(schema, [...this.at, ...path], this.findings, this.prefix)
  }

  /** Reports a keyword that was read as lost. */
  lost(word: string, text: string): void {
    this.findings.lost([...this.at, word], text)
  }

  /** Called when all keywords that the dialect can express were read. */
  reportRest(): void {
    for (const [word, value] of Object.entries(this.schema))
      if (!this.read.has(word) && value !== undefined && value !== false) this.lost(word, `the dialect has no word for it here`)
  }
}
