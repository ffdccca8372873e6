/** Names of fields in CEL: reserved words and special characters are escaped, as the API of definitions states. */

const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
)

/** `namespace` → `__namespace__`, `is-set` → `is__dash__set`; undefined for a name that CEL cannot express. */
export function celNameOf(field: string): string | undefined {
  if (reserved.has(field)) return `__${field}__`
  const escaped = field
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__")
  return /^[A-Za-z_]\w*$/.test(escaped) ? escaped : undefined
}

const marks: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" }

/** The inverse of `celNameOf`. */
export function fieldNameOf(name: string): string {
  const word = /^__(.*)__$/.exec(name)?.[1]
  if (word !== undefined && reserved.has(word)) return word
  return name.replaceAll(/__(underscores|dot|dash|slash)__/g, (_found, mark: string) => marks[mark] ?? "")
}
