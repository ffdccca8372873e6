/** The tables of docs/OPTIONS.md and docs/KINDS.md, made from the option table and from the records of the kinds. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { kinds } from "../generated/index.ts"
import { defaultText, helpText } from "../runtime/options/help.ts"
import { groups } from "../runtime/options/option.ts"
import { type OptionName, optionNames, optionTable } from "../runtime/options/table.ts"
import type { Kind } from "../runtime/schema/kind.ts"
import { testOf } from "./option-tests.ts"

const repository = new URL("../", import.meta.url)
const begin = "<!-- written by npm run fix -->"
const end = "<!-- end of what npm run fix writes -->"
/** A longer default becomes one code span for each part, so that its cell can wrap. */
const defaultColumnsMax = 40

const tables: Readonly<Record<string, () => string>> = {
  "docs/OPTIONS.md": optionTables,
  "docs/KINDS.md": kindsTable,
}

/** Writes the tables between the marks in their documents. */
export function writeDocTables(): void {
  for (const { path, text } of documents()) writeFileSync(path, text)
}

/** Documents whose tables differ from the ones that would be written. */
export function staleDocuments(): readonly string[] {
  return documents().flatMap(({ name, path, text }) => (readFileSync(path, "utf8") === text ? [] : [name]))
}

function documents(): readonly { readonly name: string; readonly path: string; readonly text: string }[] {
  return Object.entries(tables).map(([name, table]) => {
    const path = fileURLToPath(new URL(name, repository))
    const [before = "", rest = ""] = readFileSync(path, "utf8").split(begin)
    const after = rest.split(end)[1]
    if (after === undefined) throw new Error(`${name} must hold ${begin} and ${end}`)
    return { name, path, text: `${before}${begin}\n\n${table()}\n\n${end}${after}` }
  })
}

function optionTables(): string {
  const sections = groups.map((group) => {
    const rows = optionNames.filter((name) => optionTable[name].group === group).map(optionRow)
    return [`## ${group}\n`, "| option | default | what it does | tested by |", "|---|---|---|---|", ...rows].join("\n")
  })
  return sections.join("\n\n")
}

function optionRow(name: OptionName): string {
  const flag = optionTable[name].short === name ? `-${name}` : `--${name}`
  const test = testOf(name)
  return rowOf([code(flag), shownDefault(name), escaped(helpText(name)), test === undefined ? "" : code(test)])
}

function shownDefault(name: OptionName): string {
  const shown = defaultText(name)
  if (shown === "" || optionTable[name].defaultText !== undefined) return escaped(shown)
  return shown.length > defaultColumnsMax ? shown.split(",").map(code).join(", ") : code(shown)
}

function kindsTable(): string {
  const rows = kinds.filter(({ served }) => served !== false).map(kindRow)
  return [
    "| group | version | kind | short names | sub-resources | off by default | notes |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n")
}

function kindRow(kind: Kind): string {
  const { group, version, shortNames, subresources } = kind
  return rowOf([
    group === "" ? "core" : code(group),
    code(version),
    kind.kind,
    shortNames.map(code).join(", "),
    subresources.map(({ name }) => code(name)).join(", "),
    offByDefault(kind),
    notesOf(kind).join("; "),
  ])
}

function offByDefault({ optional }: Kind): string {
  if (optional === undefined) return ""
  return optional.gate === undefined ? "yes" : `yes, also by the gate ${code(optional.gate)}`
}

function notesOf({ namespaced, postsTo, answeredBy, verbs, deprecated }: Kind): readonly string[] {
  const isPosted = verbs.length === 1 && verbs[0] === "create"
  return [
    ...(postsTo === undefined ? [] : [`a POST goes to ${code(`${postsTo.resource}/${postsTo.subresource}`)}`]),
    ...(answeredBy === undefined ? [] : [isPosted ? "a POST is answered, nothing is stored" : "computed, not stored"]),
    ...(namespaced ? [] : ["without namespace"]),
    ...(deprecated === undefined ? [] : ["deprecated"]),
  ]
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`
}

function code(text: string): string {
  return `\`${text}\``
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|")
}
