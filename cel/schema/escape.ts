/**
 * Names of properties as expressions write them: `a-b` is `a__dash__b`, and reserved words are put between underscores.
 */

const reserved: ReadonlySet<string> = new Set(
  ("true false null in as break const continue else for function if import let loop package namespace return " + "var void while").split(
    " ",
  ),
)

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
}

const originals: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" }

/** Undefined when the property has no name in expressions: it begins with a digit or has other characters. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[./-]/g, (part) => escapes[part] ?? part)
}

/** Undefined when `escapeName` makes this name of no property. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes("__")) return name
  let sound = true
  const original = name.replace(/__([^_]+)__/g, (whole, content: string) => {
    const known = Object.hasOwn(originals, content) ? originals[content] : undefined
    if (known !== undefined) return known
    sound &&= reserved.has(content) && whole.length === name.length
    return content
  })
  return sound ? original : undefined
}
