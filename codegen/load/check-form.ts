/**
 * Checks a schema file against the dialect table: every key is known at its place, every value has the right form,
 * required keys are present. Does not check meaning; later code relies on these checks.
 */
import { formatNames } from "./formats.ts"
import { expectedWord } from "./diagnostic.ts"
import { dialect, formTitle, keywordsOf, placeTitles } from "./dialect.ts"
import { article, type MapEntry, type MapNode, type SourceFile, type SourceNode } from "./source.ts"
import type { KeywordPlace, ValueForm } from "./keyword.ts"

const pathPattern = /^[A-Za-z_$][\w$-]*(\[[^\]]*\])?(\.[A-Za-z_$][\w$-]*(\[[^\]]*\])?)*$/
const namePattern = /^[A-Za-z_$][\w$-]*$/
const identifierPattern = /^[A-Za-z][\w-]*$/
const kindReferencePattern = /^(?:[a-z0-9.-]+\/)?v[a-z0-9]+ [A-Z][A-Za-z0-9]*$/

/** Called once per file, before anything is read from it. Adds errors to the file. */
export function checkForm(file: SourceFile): void {
  const place: KeywordPlace = file.root.entries.some((entry) => entry.key === "kind") ? "kind" : "shared"
  if (place === "shared" && !file.root.entries.some((entry) => entry.key === "types")) {
    file.report(file.root.start, {
      found: 'a file with neither "kind" nor "types"',
      expected: '"kind:" for a resource, or "types:" for shared types',
    })
  }
  checkBlock(file, file.root, place)
}

function checkBlock(file: SourceFile, map: MapNode, place: KeywordPlace): void {
  const keywords = keywordsOf(place)
  for (const entry of map.entries) {
    const keyword = keywords.get(entry.key)
    if (keyword === undefined) file.report(entry.keyStart, unknownKey(map, entry, place))
    else checkValue(file, entry.value, keyword.value, entry.key)
  }
  for (const keyword of keywords.values()) {
    const { required = false } = keyword
    if (required === false || map.entries.some(({ key }) => key === keyword.word || (required !== true && key === required.unless)))
      continue
    file.report(map.start, {
      found: `no "${keyword.word}" in ${placeTitles[place]}`,
      expected: `${keyword.word}: ${formTitle(keyword.value)}`,
    })
  }
}

function unknownKey(map: MapNode, entry: MapEntry, place: KeywordPlace): { found: string; expected: string; nearest?: string } {
  const found = `unknown key "${entry.key}"`
  const comma = map.flow && entry.value.node === "scalar" && entry.value.value === null
  if (comma) return { found: `${found} in ${placeTitles[place]}`, expected: "quotes around a text that holds a comma" }
  const words = expectedWord(entry.key, keywordsOf(place).keys())
  const elsewhere = dialect.find((keyword) => keyword.word === entry.key)
  if (elsewhere === undefined) return { found, ...words }
  return {
    found: `${found} in ${placeTitles[place]} (it stands in ${elsewhere.places.map((name) => placeTitles[name]).join(", ")})`,
    expected: words.expected,
  }
}

function checkValue(file: SourceFile, node: SourceNode, value: ValueForm, word: string): void {
  const wrong = (): void => file.report(node.start, { found: `${article(node)} for ${word}`, expected: formTitle(value) })
  switch (value.form) {
    case "block":
      if (node.node === "map") checkBlock(file, node, value.place)
      else wrong()
      return
    case "list":
      if (node.node === "list") for (const item of node.items) checkValue(file, item, value.of, word)
      else wrong()
      return
    case "map":
      if (node.node === "map") checkMap(file, node, value, word)
      else wrong()
      return
    case "either": {
      const chosen = value.of.find((form) => sameShape(form, node))
      // Beside numbers, a text that is not the word is most likely a number in quotes.
      const mistaken = chosen?.form === "word" && value.of.some(({ form }) => form === "integer") && !isWord(node, chosen.words)
      if (chosen === undefined || mistaken) wrong()
      else checkValue(file, node, chosen, word)
      return
    }
    case "word":
      checkWord(file, node, value.words, word)
      return
    case "formatName":
      checkWord(file, node, formatNames, word)
      return
    default:
      if (!scalarFits(value, node)) wrong()
  }
}

function checkMap(file: SourceFile, node: MapNode, value: ValueForm & { form: "map" }, word: string): void {
  for (const entry of node.entries) {
    const place = value.named?.[entry.key]
    checkValue(file, entry.value, place === undefined ? value.of : { form: "block", place }, `${word} "${entry.key}"`)
  }
}

function checkWord(file: SourceFile, node: SourceNode, words: readonly (string | boolean)[], word: string): void {
  if (isWord(node, words)) return
  const written = node.node === "scalar" && typeof node.value === "string" ? node.value : undefined
  const unquoted = words.find((candidate) => typeof candidate === "boolean" && String(candidate) === written)
  const expected = unquoted === undefined ? expectedWord(written ?? "", words.map(String)) : { expected: `${unquoted} without quotes` }
  file.report(node.start, { found: `${article(node)} for ${word}`, ...expected })
}

function isWord(node: SourceNode, words: readonly (string | boolean)[]): boolean {
  return node.node === "scalar" && words.some((candidate) => candidate === node.value)
}

/** Guesses the alternative that the author meant from the shape of the node. */
function sameShape(form: ValueForm, node: SourceNode): boolean {
  if (form.form === "list") return node.node === "list"
  if (form.form === "block" || form.form === "map") return node.node === "map"
  if (form.form === "integer") return node.node === "scalar" && (typeof node.value === "number" || typeof node.value === "bigint")
  if (form.form === "word") return node.node === "scalar" && form.words.some((word) => typeof word === typeof node.value)
  return node.node === "scalar" && typeof node.value === "string"
}

function scalarFits(value: ValueForm, node: SourceNode): boolean {
  if (value.form === "constant") return node.node !== "scalar" || node.value !== null
  if (node.node !== "scalar") return false
  const found = node.value
  switch (value.form) {
    case "boolean":
      return typeof found === "boolean"
    case "number":
      return typeof found === "bigint" || (typeof found === "number" && Number.isFinite(found))
    case "integer":
      return typeof found === "number" && Number.isInteger(found) && found >= value.minimum && found <= value.maximum
    case "expression":
      return typeof found === "string" ? found !== "" : typeof found === "number" || typeof found === "boolean"
    case "path":
      return typeof found === "string" && (found === "" || pathPattern.test(found))
    case "fieldName":
      return typeof found === "string" && namePattern.test(found)
    case "identifier":
      return typeof found === "string" && identifierPattern.test(found)
    case "kindReference":
      return typeof found === "string" && kindReferencePattern.test(found)
    default:
      return typeof found === "string"
  }
}
