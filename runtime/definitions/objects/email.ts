/** `format: email`: an address of RFC 5322, with or without a display name, as accepted by Go's net/mail. */
import { parseIp } from "../../base/ip-address.ts"

/** Whether a text is one address: `a@example.com`, `"A. B" <a@example.com> (work)`. Takes linear time. */
export function isEmail(text: string): boolean {
  const reader = new AddressReader(text)
  const count = reader.address(true)
  return count === 1 && reader.space() && reader.isAtEnd
}

/** Each method reads one part and returns whether it is present; an absent part consumes nothing. */
class AddressReader {
  private at = 0

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  private get next(): string {
    return this.text.charAt(this.at)
  }

  private take(character: string): boolean {
    if (this.next !== character) return false
    this.at++
    return true
  }

  private blanks(): void {
    while (this.next === " " || this.next === "\t") this.at++
  }

  /** Blanks and comments; false for a comment without an end. */
  space(): boolean {
    this.blanks()
    while (this.take("(")) {
      if (!this.comment()) return false
      this.blanks()
    }
    return true
  }

  private comment(): boolean {
    let depth = 1
    for (; !this.isAtEnd && depth > 0; this.at++) {
      if (this.next === "\\" && this.at + 1 < this.text.length) this.at++
      else if (this.next === "(") depth++
      else if (this.next === ")") depth--
    }
    return depth === 0
  }

  /** Returns the number of addresses, several for a group; undefined for an invalid text. */
  address(mayBeGroup: boolean): number | undefined {
    this.blanks()
    if (this.isAtEnd) return undefined
    if (this.specification()) {
      this.blanks()
      return this.take("(") && !this.comment() ? undefined : 1
    }
    if (this.next !== "<" && !this.phrase()) return undefined
    this.blanks()
    if (mayBeGroup && this.take(":")) return this.group()
    return this.take("<") && this.specification() && this.take(">") ? 1 : undefined
  }

  private group(): number | undefined {
    this.blanks()
    if (this.take(";")) return this.space() ? 0 : undefined
    for (let count = 0; ; ) {
      const one = this.address(false)
      if (one === undefined || !this.space()) return undefined
      count += one
      if (this.take(";")) return this.space() ? count : undefined
      if (!this.take(",")) return undefined
      this.blanks()
    }
  }

  /** `local@domain` */
  private specification(): boolean {
    const start = this.at
    if (this.localPart() && this.take("@") && this.domain()) return true
    this.at = start
    return false
  }

  private localPart(): boolean {
    this.blanks()
    if (this.next !== '"') return this.strictAtom()
    const start = this.at
    return this.quoted() && this.at - start > 2
  }

  private domain(): boolean {
    this.blanks()
    return this.next === "[" ? this.literal() : this.strictAtom()
  }

  /** Words of a display name. */
  private phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.space()) return false
      this.blanks()
      if (this.isAtEnd || !(this.next === '"' ? this.quoted() : this.atom() > 0)) return words > 0
    }
  }

  private quoted(): boolean {
    const start = this.at
    this.at++
    for (; !this.isAtEnd; this.at++) {
      if (this.next === '"') {
        this.at++
        return true
      }
      if (this.next === "\\") this.at++
      if (!isVisible(this.next) && this.next !== " " && this.next !== "\t") break
    }
    this.at = start
    return false
  }

  /** Returns its length. */
  private atom(): number {
    const start = this.at
    while (isAtomCharacter(this.next)) this.at++
    return this.at - start
  }

  /** Without a dot at its ends or two in a row. */
  private strictAtom(): boolean {
    const start = this.at
    const length = this.atom()
    const atom = this.text.slice(start, start + length)
    return length > 0 && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..")
  }

  /** `[192.0.2.1]` */
  private literal(): boolean {
    const end = this.text.indexOf("]", this.at)
    if (end < 0 || parseIp(this.text.slice(this.at + 1, end)) === undefined) return false
    this.at = end + 1
    return true
  }
}

function isVisible(character: string): boolean {
  return character !== "" && character > " " && character !== "\x7f"
}

const specials = '()<>[]:;@\\,"'

function isAtomCharacter(character: string): boolean {
  return isVisible(character) && !specials.includes(character)
}
