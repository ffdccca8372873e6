/**
 * Names of fields as rules write them. A field whose name is no identifier of the expression language is reached by an
 * escaped one: `a-b` is `a__dash__b`, `if` is `__if__`. Some names have none, and rules cannot reach their fields.
 */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"],
  ...["loop", "package", "namespace", "return", "var", "void", "while"],
])

const escapes: Readonly<Record<string, string>> = { __: "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" }

/** Returns the identifier of a field; undefined when it has none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part)
}
