/**
 * How large the program of an RE2 pattern becomes, from its text: repetitions with counts are written out, so
 * `(x{0,1000}y){0,9}` are twenty thousand instructions.
 */

/** What `\pL` weighs: its class has hundreds of ranges. */
const namedClassSize = 4

/**
 * An upper bound, more or less, of the instructions of a pattern. Any text has a size; whether it is a pattern is not
 * its business. The work is proportional to the text. Called before a pattern is compiled.
 */
export function patternSize(pattern: string): number {
  const scan = new SizeScan(pattern)
  return scan.run()
}

class SizeScan {
  /** Sizes of the groups around the current place, the outermost first. */
  private readonly open: number[] = []
  /** The size of the current group up to now. */
  private size = 0
  /** The size of what a repetition here would repeat. */
  private last = 0
  private at = 0

  constructor(private readonly pattern: string) {}

  run(): number {
    const { pattern } = this
    while (this.at < pattern.length) this.step(pattern.charAt(this.at))
    return this.open.reduce((sum, size) => sum + size, this.size)
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
    this.at = this.endOfBraces(this.at)
  }

  /** `\Q...\E`: characters without a meaning. */
  private quoted(): void {
    const end = this.pattern.indexOf("\\E", this.at)
    const stop = end < 0 ? this.pattern.length : end
    this.add(1)
    this.size += stop - this.at
    this.at = stop + 2
  }

  /** `{Greek}` or one letter. */
  private endOfBraces(at: number): number {
    if (this.pattern.charAt(at) !== "{") return at + 1
    const end = this.pattern.indexOf("}", at)
    return end < 0 ? at + 1 : end + 1
  }

  private characterClass(): void {
    const { pattern } = this
    let size = 1
    // A bracket in the first place is a character of the class.
    let at = this.at + (pattern.charAt(this.at + 1) === "^" ? 2 : 1)
    if (pattern.charAt(at) === "]") at++
    while (at < pattern.length && pattern.charAt(at) !== "]") {
      const named = pattern.charAt(at) === "\\" && /[pP]/.test(pattern.charAt(at + 1))
      if (named) size += namedClassSize
      if (pattern.startsWith("[:", at)) at = Math.max(at, pattern.indexOf(":]", at) + 1)
      at += pattern.charAt(at) === "\\" ? 2 : 1
    }
    this.add(size)
    this.at = at + 1
  }

  private enter(): void {
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
    // What is optional takes one instruction more.
    const size = this.last * Math.max(min, 1) + Math.max(max - min, 0) * (this.last + 1)
    this.size += size - this.last
    this.last = size
    this.at += whole.length
  }
}
