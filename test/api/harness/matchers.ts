/** Expectations of a scenario besides plain values, and the comparison of expected and got. */

/** An expectation that is no plain value: a tag of the scenario's YAML. */
export class Matcher {
  constructor(
    readonly tag: string,
    readonly content: unknown,
    /** Undefined: the value matches; otherwise the fault. `present` is false where a field is absent. */
    readonly judge: (got: unknown, present: boolean) => string | undefined,
  ) {}

  /** The matcher as the scenario writes it. */
  get text(): string {
    return `${this.tag} ${this.content === null || this.content === "" ? "" : shown(this.content)}`.trim()
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Matcher)
}

/**
 * One line per difference, with its path. Objects may have fields that are not expected; lists must have equal lengths.
 */
export function differences(expected: unknown, got: unknown, path: string, present = true): string[] {
  if (expected instanceof Matcher) {
    const fault = expected.judge(got, present)
    return fault === undefined ? [] : [`${path}: ${fault}`]
  }
  if (!present) return [`${path}: expected ${shown(expected)}, got nothing`]
  if (Array.isArray(expected)) return listDifferences(expected, got, path)
  if (isRecord(expected)) return recordDifferences(expected, got, path)
  return Object.is(expected, got) ? [] : [`${path}: expected ${shown(expected)}, got ${shown(got)}`]
}

function recordDifferences(expected: Readonly<Record<string, unknown>>, got: unknown, path: string): string[] {
  if (!isRecord(got)) return [`${path}: expected an object, got ${shown(got)}`]
  return Object.entries(expected).flatMap(([name, value]) => differences(value, got[name], `${path}.${name}`, Object.hasOwn(got, name)))
}

function listDifferences(expected: readonly unknown[], got: unknown, path: string): string[] {
  if (!Array.isArray(got)) return [`${path}: expected a list, got ${shown(got)}`]
  if (got.length !== expected.length) return [`${path}: expected ${expected.length} items, got ${got.length}: ${shown(got)}`]
  return expected.flatMap((item, index) => differences(item, got[index], `${path}[${index}]`))
}

/** JSON of a value for messages, cut where it gets long. */
export function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_name, item: unknown) =>
      item instanceof Matcher ? item.text : typeof item === "bigint" ? String(item) : item,
    ) ?? "nothing"
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text
}

/** The tags of scenarios; README.md describes each. Throws for a tag that is not one, or has the wrong content. */
export function matcherOf(tag: string, content: unknown): Matcher {
  const judge = judgeOf(tag, content)
  if (judge === undefined) throw new Error(`${tag} is not a tag of scenarios`)
  return new Matcher(tag, content, judge)
}

function judgeOf(tag: string, content: unknown): Matcher["judge"] | undefined {
  switch (tag) {
    case "!any":
      return (got, present) =>
        present && got !== null && got !== "" ? undefined : `expected some value, got ${present ? shown(got) : "nothing"}`
    case "!absent":
      return (got, present) => (present ? `expected nothing, got ${shown(got)}` : undefined)
    case "!match":
      return (got) =>
        (typeof got === "string" || typeof got === "number") && new RegExp(String(content), "s").test(String(got))
          ? undefined
          : `expected a text like ${String(content)}, got ${shown(got)}`
    case "!not":
      return (got, present) => (differences(content, got, "", present).length > 0 ? undefined : `expected anything but ${shown(content)}`)
    case "!exact":
      return (got) => [...differences(content, got, ""), ...surplus(content, got, "")].join("; ") || undefined
    case "!has":
      return (got) => missing(content, got)
    case "!length":
      return (got) =>
        lengthOf(got) === Number(content) ? undefined : `expected ${Number(content)} items, got ${lengthOf(got)}: ${shown(got)}`
    default:
      return undefined
  }
}

function missing(content: unknown, got: unknown): string | undefined {
  if (!Array.isArray(content)) throw new Error("!has takes a list")
  if (!Array.isArray(got)) return `expected a list, got ${shown(got)}`
  const absent = content.filter((item: unknown) => !got.some((candidate) => differences(item, candidate, "").length === 0))
  return absent.length === 0 ? undefined : `expected an item like ${absent.map(shown).join(" and one like ")} in ${shown(got)}`
}

function surplus(expected: unknown, got: unknown, path: string): string[] {
  if (Array.isArray(expected) && Array.isArray(got))
    return expected.flatMap((item: unknown, index) => surplus(item, got[index], `${path}[${index}]`))
  if (!isRecord(expected) || !isRecord(got)) return []
  return Object.keys(got).flatMap((name) =>
    Object.hasOwn(expected, name)
      ? surplus(expected[name], got[name], `${path}.${name}`)
      : [`${path}.${name}: expected nothing, got ${shown(got[name])}`],
  )
}

function lengthOf(got: unknown): number {
  if (typeof got === "string" || Array.isArray(got)) return got.length
  return isRecord(got) ? Object.keys(got).length : 0
}
