/** Secrets that a test plants and then looks for where none may be: plain, in base64, percent-encoded, in hex. */
import { randomBytes } from "node:crypto"

/** Minimum characters of a canary: shorter ones are found by accident. */
const charactersMin = 12

export class Canaries {
  private readonly known = new Map<string, readonly { readonly form: string; readonly bytes: Buffer }[]>()

  /** Makes a secret whose characters differ in each encoding. `characters`: of another alphabet, such as `a-z0-9`. */
  make(name: string, characters = /[^]/g): string {
    const text = `${name.replaceAll(/[^A-Za-z]/g, "-")}~${randomBytes(12).toString("base64url")}/+${randomBytes(4).toString("hex")}=`
    return this.add(name, text.match(characters)?.join("") ?? text)
  }

  /** Adds a secret that other code made, and returns it. Throws for one that is too short to look for. */
  add(name: string, text: string): string {
    if (text.length < charactersMin) throw new Error(`the canary ${name} is too short to be looked for: ${text}`)
    if (this.known.has(name)) throw new Error(`there is a canary ${name}`)
    this.known.set(name, formsOf(Buffer.from(text)))
    return text
  }

  /** `<place>: <name> (<form>)` of each canary in the bytes, except the allowed ones. */
  foundIn(place: string, bytes: Buffer | string, allowed: readonly string[] = []): string[] {
    const all = Buffer.from(bytes)
    return [...this.known].flatMap(([name, forms]) =>
      allowed.includes(name) ? [] : forms.filter((one) => all.includes(one.bytes)).map(({ form }) => `${place}: ${name} (${form})`),
    )
  }

  get names(): readonly string[] {
    return [...this.known.keys()]
  }
}

function formsOf(bytes: Buffer): { readonly form: string; readonly bytes: Buffer }[] {
  const text = bytes.toString()
  const forms: (readonly [string, string])[] = [
    ["plain", text],
    ["percent-encoded", encodeURIComponent(text)],
    ["percent-encoded whole", [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")],
    ["hex", bytes.toString("hex")],
    // A Buffer in JSON.
    ["numbers", [...bytes].join(",")],
    ...[0, 1, 2].flatMap((before) => [
      ["base64", inBase64(bytes, before)] as const,
      ["base64url", inBase64(bytes, before).replaceAll("+", "-").replaceAll("/", "_")] as const,
    ]),
  ]
  return forms.map(([form, found]) => ({ form, bytes: Buffer.from(found) }))
}

/** The characters of base64 that depend on these bytes alone, when `before` bytes stand before them. */
function inBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString("base64url")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
  const whole = Math.floor(((before + bytes.length) * 8) / 6)
  return encoded.slice(Math.ceil((before * 8) / 6), whole)
}
