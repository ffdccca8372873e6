/** Patterns of expressions, by RE2: time is linear in the text whatever the pattern. */
import { RE2JS } from "re2js"

const patternsMax = 256
const compiled = new Map<string, Pattern | PatternFault>()

/** A text that is no pattern; `message` is what the reference's engine says of it. */
export class PatternFault {
  constructor(readonly message: string) {}
}

export class Pattern {
  constructor(private readonly engine: RE2JS) {}

  /** The first match; empty when there is none. */
  first(text: string): string {
    const matcher = this.engine.matcher(text)
    return matcher.find() ? (matcher.group() ?? "") : ""
  }

  /** Up to `limit` matches from left to right. An empty match at the end of the one before does not count. */
  all(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    const found: string[] = []
    const matcher = this.engine.matcher(text)
    let last = -1
    while (found.length < limit && matcher.find()) {
      if (matcher.start() === matcher.end() && matcher.start() === last) continue
      found.push(matcher.group() ?? "")
      last = matcher.end()
    }
    return found
  }
}

/** Compiles a pattern. Patterns that come with data are remembered, because a rule applies one to many objects. */
export function patternOf(source: string): Pattern | PatternFault {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const pattern = compile(source)
  if (compiled.size >= patternsMax) compiled.clear()
  compiled.set(source, pattern)
  return pattern
}

function compile(source: string): Pattern | PatternFault {
  try {
    return new Pattern(RE2JS.compile(source))
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault)
    return new PatternFault(message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message)
  }
}
