/**
 * The schema dialect as one table: every keyword, its places, its value and its meaning. Checking, `--explain` and the
 * JSON Schema for editors read this table; docs/DIALECT.md describes it in prose. A new keyword needs an entry here,
 * code in the loader and in the emitters that use it, and a folder under test/golden/.
 */
import { fieldKeywords } from "./dialect-fields.ts"
import { kindKeywords } from "./dialect-kinds.ts"
import { checksAndUnions } from "./dialect-rules.ts"
import type { Keyword, KeywordPlace, ValueForm } from "./keyword.ts"

/** The name of a place in diagnostics and in `--explain`. */
export const placeTitles: Readonly<Record<KeywordPlace, string>> = {
  kind: "a kind file",
  shared: "a file of shared types",
  names: "names",
  storage: "storage",
  deprecation: "deprecated",
  optional: "optional",
  conversion: "conversion",
  selectable: "an item of selectable",
  column: "a column",
  completed: "an item of completed",
  status: "the status subresource",
  scale: "the scale subresource",
  subresource: "a subresource",
  create: "create",
  update: "update",
  delete: "delete",
  warning: "a warning",
  type: "a type",
  field: "a field",
  reference: "references",
  constraints: "items, values or keys",
  failure: "an entry of failures",
  rule: "a rule",
  defaultRule: "an item of defaults",
  oneOf: "an item of oneOf",
}

/** Every keyword, in the order in which `--explain` and the docs list them. */
export const dialect: readonly Keyword[] = [...kindKeywords, ...fieldKeywords, ...checksAndUnions]

const byPlace = new Map<KeywordPlace, ReadonlyMap<string, Keyword>>()

/** Returns the keywords of `place` by word. Called for every mapping. */
export function keywordsOf(place: KeywordPlace): ReadonlyMap<string, Keyword> {
  let words = byPlace.get(place)
  if (words === undefined) {
    words = new Map(dialect.filter((keyword) => keyword.places.includes(place)).map((keyword) => [keyword.word, keyword]))
    byPlace.set(place, words)
  }
  return words
}

/**
 * Unique name of a keyword: the word, or place and word where it has different meanings in different places. Names its
 * golden folder.
 */
export function keywordId(keyword: Keyword): string {
  const homonyms = dialect.filter((other) => other.word === keyword.word)
  return homonyms.length === 1 ? keyword.word : `${keyword.places[0] ?? ""}-${keyword.word}`
}

/** A value form in words, for diagnostics: `true or false`, `a list of paths`. */
export function formTitle(value: ValueForm): string {
  switch (value.form) {
    case "integer":
      return value.maximum === Number.MAX_SAFE_INTEGER
        ? `a whole number of at least ${value.minimum}`
        : `a whole number from ${value.minimum} to ${value.maximum}`
    case "word":
      return value.words.length === 1 ? String(value.words[0]) : `one of ${value.words.join(", ")}`
    case "block":
      return blockTitle(value.place)
    case "list":
      return `a list, each item ${formTitle(value.of)}`
    case "map":
      return `a map from names to ${mapValueTitle(value.of)}`
    case "either":
      return value.of.map(formTitle).join(", or ")
    default:
      return simpleTitles[value.form]
  }
}

/** Places with many keywords are described by their required keys. */
function blockTitle(place: KeywordPlace): string {
  const keywords = [...keywordsOf(place).values()]
  const main = keywords.filter((keyword) => (keyword.required ?? false) !== false || keyword.word === "doc")
  const few = keywords.length <= 8 || main.length === 0 ? keywords : main
  return `a map with ${few.map((keyword) => keyword.word).join(", ")}${few.length < keywords.length ? ` and what else ${placeTitles[place]} may say` : ""}`
}

function mapValueTitle(value: ValueForm): string {
  return value.form === "block" ? placeTitles[value.place].replace(/^an? /, "a ") : formTitle(value)
}

const simpleTitles = {
  text: "a text",
  boolean: "true or false",
  number: "a number",
  constant: "a constant",
  path: "a dotted path to a field",
  reportedPath: "a dotted path to a field, or one as failures show it, which begins with ./ or ../",
  expression: "an expression",
  template: "a text, in which {{expression}} is replaced",
  type: 'a type, such as string, "[]string", map<string>, PodSpec or meta.v1.ObjectMeta',
  fieldName: "the name of a field",
  kindReference: "a kind, written group/version Kind such as core/v1 Event",
  identifier: "a name of letters, digits and dashes",
  formatName: "the name of a format of runtime/schema/formats.ts",
} as const
