/** Findings of a conversion between definitions and schemas. */

/** Names of members and numbers of items, from the top of a document. */
export type Path = readonly (string | number)[]

/** `lost`: the result does not express it. `note`: the result expresses it in another way. */
export interface Finding {
  readonly severity: "lost" | "note"
  readonly path: Path
  readonly text: string
}

/** Collects findings in the order in which they are found. */
export class Findings {
  private readonly found: Finding[] = []

  /** The part at `path` is missing in the result. `text` names it and the consequence. */
  lost(path: Path, text: string): void {
    this.found.push({ severity: "lost", path, text })
  }

  /** The result expresses the part at `path` in another way. */
  note(path: Path, text: string): void {
    this.found.push({ severity: "note", path, text })
  }

  get all(): readonly Finding[] {
    return this.found
  }

  get losses(): number {
    return this.found.filter(({ severity }) => severity === "lost").length
  }
}

/** `spec.versions[0].name`; a member with other characters is in quotes: `metadata.annotations["a.b/c"]`. */
export function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : /^[\w$-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`))
    .join("")
    .replace(/^\./, "")
}
