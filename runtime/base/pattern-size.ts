/**
 * How large the program of an RE2 pattern becomes, from its text: repetitions with counts are written out, so
 * `(x{0,1000}y){0,9}` are twenty thousand instructions.
 */

/** The size of `\pL`: its class has hundreds of ranges. */
const namedClassSize = 4

/**
 * Cost of reading classes, in the time of compiling an instruction. A repeated class is read once. Members are sorted
 * and joined, also the members of `\pL`; of a range that ignores case every character is looked at.
 */
const charactersPerInstruction = 4
const namedMemberSize = 60
const namedSize = 10
const foldedPerInstruction = 80
/** The last character that has another case. */
const lastFolded = 0x1e943

/**
 * An approximate upper bound of the instructions of a pattern. Accepts any text, also one that is not a pattern. The
 * work is proportional to the text. Called before a pattern is compiled.
 */
export function patternSize(pattern: string): number {
  const scan = new SizeScan(pattern)
  return scan.run()
}

/** Characters of flags that are looked at. */
const flagsMax = 40

class SizeScan {
  /** Sizes of the groups around the current place, the outermost first. */
  private readonly open: number[] = []
  /** The size of the current group up to now. */
  private size = 0
  /** The size of what a repetition here would repeat. */
  private last = 0
  private at = 0
  /** Cost of reading classes up to now. */
  private reading = 0
  /** Letters stand for both cases from here on. */
  private ignoresCase = false
  /** Ends of names and classes that do not occur any more, so that no later opening searches the text for them. */
  private readonly ended = new Set<string>()

  constructor(private readonly pattern: string) {}

  run(): number {
    const { pattern } = this
    while (this.at < pattern.length) this.step(pattern.charAt(this.at))
    return Math.ceil(this.open.reduce((sum, size) => sum + size, this.size) + this.reading)
  }

  /** The place of `text` at or after `from`; -1 for none. */
  private find(text: string, from: number): number {
    if (this.ended.has(text)) return -1
    const found = this.pattern.indexOf(text, from)
    if (found < 0) this.ended.add(text)
    return found
  }

  private step(character: string): void {
    switch (character) {
      case "\\":
        return this.escape()
      case "[":
        return this.characterClass()
      case "(":
        return this.enter()
      case ")":
        return this.leave()
      case "{":
        return this.repetition()
      case "*":
      case "+":
      case "?":
        this.size++
        this.last++
        break
      default:
        this.add(1)
    }
    this.at++
  }

  private add(size: number): void {
    this.size += size
    this.last = size
  }

  private escape(): void {
    const next = this.pattern.charAt(this.at + 1)
    if (next === "Q") return this.quoted()
    this.at += 2
    if (next !== "p" && next !== "P") return this.add(1)
    this.add(namedClassSize)
    this.reading += namedSize
    this.at = this.endOfBraces(this.at)
  }

  /** `\Q...\E`: characters without a meaning. */
  private quoted(): void {
    const end = this.find("\\E", this.at)
    const stop = end < 0 ? this.pattern.length : end
    this.add(1)
    this.size += stop - this.at
    this.at = stop + 2
  }

  /** `{Greek}` or one letter. */
  private endOfBraces(at: number): number {
    if (this.pattern.charAt(at) !== "{") return at + 1
    const end = this.find("}", at)
    return end < 0 ? at + 1 : end + 1
  }

  private characterClass(): void {
    const { pattern } = this
    // A bracket in the first place is a character of the class.
    let at = this.at + (pattern.charAt(this.at + 1) === "^" ? 2 : 1)
    const start = at
    while (at < pattern.length && (pattern.charAt(at) !== "]" || at === start)) {
      const first = this.member(at)
      at = first.end
      if (pattern.charAt(at) !== "-" || pattern.charAt(at + 1) === "]") continue
      const last = this.member(at + 1)
      at = last.end
      this.reading += this.ignoresCase ? Math.max(0, Math.min(last.code, lastFolded) - first.code) / foldedPerInstruction : 0
    }
    this.add(1)
    this.reading += (at - this.at) / charactersPerInstruction
    this.at = at + 1
  }

  /** A member of a class. `code`: of a single character. */
  private member(at: number): { readonly code: number; readonly end: number } {
    const { pattern } = this
    if (pattern.startsWith("[:", at)) {
      const end = this.find(":]", at)
      return { code: 0, end: end < 0 ? at + 1 : end + 2 }
    }
    const code = pattern.codePointAt(at) ?? 0
    if (code !== 0x5c) return { code, end: at + (code > 0xffff ? 2 : 1) }
    const next = pattern.charAt(at + 1)
    if (next === "p" || next === "P") {
      this.reading += namedMemberSize
      return { code: 0, end: this.endOfBraces(at + 2) }
    }
    if (next === "x") return this.hexadecimal(at + 2)
    return { code: next.charCodeAt(0) || 0, end: at + 2 }
  }

  /** `{10ffff}` or two digits. */
  private hexadecimal(at: number): { readonly code: number; readonly end: number } {
    const braced = this.pattern.charAt(at) === "{"
    const end = braced ? this.endOfBraces(at) : at + 2
    const digits = braced ? this.pattern.slice(at + 1, Math.min(end - 1, at + 9)) : this.pattern.slice(at, end)
    return { code: Number.parseInt(digits, 16) || 0, end }
  }

  private enter(): void {
    // Flags: `(?i)`, `(?s-i:`. The end of the group is not looked at: the size is an upper bound.
    if (/^\(\?[A-Za-z]*i/.test(this.pattern.slice(this.at, this.at + flagsMax))) this.ignoresCase = true
    this.open.push(this.size)
    this.size = 2
    this.last = 0
    this.at++
  }

  private leave(): void {
    this.at++
    const around = this.open.pop()
    if (around === undefined) return
    this.last = this.size
    this.size += around
  }

  /** `{2}`, `{2,}`, `{2,5}`; other braces are characters. */
  private repetition(): void {
    const counts = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(this.pattern.slice(this.at, this.at + 22))
    if (counts === null) {
      this.add(1)
      this.at++
      return
    }
    const [whole, least = "", range, most = ""] = counts
    const min = Number(least)
    const max = range === undefined ? min : most === "" ? min + 1 : Number(most)
    // Each optional repetition takes one instruction more.
    const size = this.last * Math.max(min, 1) + Math.max(max - min, 0) * (this.last + 1)
    this.size += size - this.last
    this.last = size
    this.at += whole.length
  }
}
