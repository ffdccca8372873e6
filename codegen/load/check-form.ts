/**
 * Checks a schema file against the dialect table: every key is known at its place, every value has the right form,
 * required keys are present. Does not check meaning; later code relies on these checks.
 */
import { formatNames } from "./formats.ts"
import { expectedWord, type Fault } from "./diagnostic.ts"
import { dialect, formTitle, keywordsOf, placeTitles } from "./dialect.ts"
import { formatHabit, keyHabit, wordHabit } from "./habits.ts"
import { article, type ListNode, type MapEntry, type MapNode, type SourceFile, type SourceNode } from "./source.ts"
import { nearest } from "../../runtime/base/nearest.ts"
import type { Keyword, KeywordPlace, ValueForm } from "./keyword.ts"

const pathPattern = /^[A-Za-z_$][\w$-]*(\[[^\]]*\])?(\.[A-Za-z_$][\w$-]*(\[[^\]]*\])?)*$/
/** The path that failures show need not be a path of fields: `../taints[].effect`. */
const reportedPathPattern = /^(?:\.|(?:\.\.?\/)*(?:\.\.|\[\]|[A-Za-z_$][\w$-]*(?:\[[^\]]*\])?(?:\.[A-Za-z_$][\w$-]*(?:\[[^\]]*\])?)*))$/
const namePattern = /^[A-Za-z_$][\w$-]*$/
const identifierPattern = /^[A-Za-z][\w-]*$/
const kindReferencePattern = /^(?:[a-z0-9.-]+\/)?v[a-z0-9]+ [A-Z][A-Za-z0-9]*$/

/** Called once per file, before anything is read from it. Adds errors to the file. */
export function checkForm(file: SourceFile): void {
  const place = placeOfFile(file)
  if (place === "shared" && !file.root.entries.some((entry) => entry.key === "types")) {
    file.report(file.root.start, {
      found: 'a file with neither "kind" nor "types"',
      expected: '"kind:" for a resource, or "types:" for shared types',
    })
  }
  checkBlock(file, file.root, place)
}

/** A file that has keys of a kind is meant as one, also when its `kind` is misspelt. */
function placeOfFile({ root }: SourceFile): "kind" | "shared" {
  const has = (word: string): boolean => root.entries.some((entry) => entry.key === word)
  return has("kind") || ["scope", "names", "fields", "columns"].filter(has).length > 1 ? "kind" : "shared"
}

function checkBlock(file: SourceFile, map: MapNode, place: KeywordPlace): void {
  const keywords = keywordsOf(place)
  let foreign = false
  for (const entry of map.entries) {
    let keyword = keywords.get(entry.key)
    if (keyword === undefined) {
      const fault = unknownKey(map, entry, place)
      if (fault !== undefined) file.report(entry.keyStart, fault)
      foreign ||= keyHabit(place, entry.key)?.otherValue === true && place !== "kind"
      keyword = correct(map, entry, place, fault?.nearest)
    }
    if (keyword !== undefined) checkValue(file, entry.value, keyword.value, entry.key)
  }
  for (const keyword of keywords.values()) {
    const { required = false } = keyword
    const isThere = map.entries.some(
      ({ key }) => key === keyword.word || (required !== true && required !== false && key === required.unless),
    )
    if (foreign || required === false || isThere) continue
    file.report(map.start, {
      found: `no "${keyword.word}" in ${placeTitles[place]}`,
      expected: `${keyword.word}: ${formTitle(keyword.value)}`,
    })
  }
}

/**
 * Reads a reported key as the word that was meant, so that one mistake is reported once. Returns its keyword, unless
 * the value too is written as in another language.
 */
function correct(map: MapNode, entry: MapEntry, place: KeywordPlace, near: string | undefined): Keyword | undefined {
  const habit = keyHabit(place, entry.key)
  const word = habit?.word ?? near
  const keyword = word === undefined ? undefined : keywordsOf(place).get(word)
  if (word === undefined || keyword === undefined || map.entries.some((other) => other.key === word)) return undefined
  entry.key = word
  const flat = habit !== undefined && entry.value.node === "scalar" && ["map", "block", "list"].includes(keyword.value.form)
  if (habit?.otherValue !== true && !flat) return keyword
  entry.value = { node: "scalar", value: null, start: entry.value.start, end: entry.value.start }
  return undefined
}

/** A part of a text that was cut at its comma is reported where the text begins. */
function unknownKey(map: MapNode, entry: MapEntry, place: KeywordPlace): Fault | undefined {
  const found = `unknown key "${entry.key}"`
  const comma = map.flow && entry.value.node === "scalar" && entry.value.value === null
  if (comma && entry.key.endsWith(">")) return undefined
  if (comma) return { found: `${found} in ${placeTitles[place]}`, expected: "quotes around a text that holds a comma" }
  const habit = keyHabit(place, entry.key)
  if (habit !== undefined)
    return {
      found: `${found} in ${placeTitles[place]}`,
      expected: habit.expected,
      ...(habit.word !== undefined && { nearest: habit.word }),
    }
  const words = expectedWord(entry.key, keywordsOf(place).keys())
  const places = new Set(dialect.filter((keyword) => keyword.word === entry.key).flatMap((keyword) => keyword.places))
  if (places.size === 0) return { found, ...words }
  return { ...words, found: `${found} in ${placeTitles[place]} (it belongs in ${[...places].map((name) => placeTitles[name]).join(", ")})` }
}

function checkValue(file: SourceFile, node: SourceNode, value: ValueForm, word: string): void {
  const wrong = (): void => file.report(node.start, { found: `${article(node)} for ${word}`, ...expectedForm(value, node) })
  switch (value.form) {
    case "block":
      if (node.node === "map") checkBlock(file, node, value.place)
      else wrong()
      return
    case "list":
      if (node.node !== "list") return wrong()
      for (const item of node.items) checkValue(file, item, value.of, word)
      checkRepeats(file, node, value.of, word)
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

/** The expected form of a value, with the value that was meant where it is plain. */
function expectedForm(value: ValueForm, node: SourceNode): { expected: string; nearest?: string } {
  const written = node.node === "scalar" ? node.value : undefined
  const expected = formTitle(value)
  if (typeof written !== "string") return { expected }
  if ((value.form === "path" || value.form === "reportedPath") && /^\.\w/.test(written)) return { expected, nearest: written.slice(1) }
  if (value.form === "boolean" && /^(yes|on|true)$/i.test(written)) return { expected, nearest: "true" }
  if (value.form === "boolean" && /^(no|off|false)$/i.test(written)) return { expected, nearest: "false" }
  const number = [value, ...(value.form === "either" ? value.of : [])].some(({ form }) => form === "number" || form === "integer")
  if (number && /^-?\d+(\.\d+)?$/.test(written)) return { expected: `${expected}, without quotes`, nearest: written }
  const list = [value, ...(value.form === "either" ? value.of : [])].some((form) => form.form === "list" && form.of.form === "constant")
  const ofWords = list || (value.form === "list" && value.of.form !== "block")
  return ofWords ? { expected, nearest: `[${written}]` } : { expected }
}

const words: ReadonlySet<ValueForm["form"]> = new Set(["word", "path", "identifier", "fieldName", "text"])

/** Lists of words contain no word twice. */
function checkRepeats(file: SourceFile, list: ListNode, of: ValueForm, word: string): void {
  if (!words.has(of.form)) return
  const seen = new Set<unknown>()
  for (const item of list.items) {
    if (item.node !== "scalar") continue
    if (seen.has(item.value)) file.report(item.start, { found: `${article(item)} a second time in ${word}`, expected: "every word once" })
    seen.add(item.value)
  }
}

function checkMap(file: SourceFile, node: MapNode, value: ValueForm & { form: "map" }, word: string): void {
  const named = Object.keys(value.named ?? {})
  for (const entry of node.entries) {
    const meant = named.includes(entry.key) ? undefined : named.find((name) => name === nearest(entry.key, named))
    if (meant !== undefined && !node.entries.some((other) => other.key === meant)) {
      file.report(entry.keyStart, { found: `unknown name "${entry.key}" in ${word}`, expected: meant, nearest: meant })
      entry.key = meant
    }
    const place = value.named?.[entry.key]
    checkValue(file, entry.value, place === undefined ? value.of : { form: "block", place }, `${word} "${entry.key}"`)
  }
}

function checkWord(file: SourceFile, node: SourceNode, words: readonly (string | boolean)[], word: string): void {
  if (isWord(node, words)) return
  const written = node.node === "scalar" && typeof node.value === "string" ? node.value : undefined
  const unquoted = words.find((candidate) => typeof candidate === "boolean" && String(candidate) === written)
  const truth = written !== undefined && /^(yes|no|on|off)$/i.test(written) && words.some((candidate) => typeof candidate === "boolean")
  const meant = wordHabit(word, written ?? "")
  const closed = expectedWord(written ?? "", words.map(String))
  const near = meant !== undefined && words.includes(meant) ? { ...closed, nearest: meant } : closed
  const format = word === "format" ? formatHabit(written ?? "") : undefined
  const yes = truth ? `${/^(yes|on)$/i.test(written) ? "true" : "false"}: YAML 1.2 has no ${written}` : undefined
  const expected =
    format !== undefined
      ? { expected: format }
      : yes !== undefined
        ? { expected: yes }
        : unquoted === undefined
          ? near
          : { expected: `${unquoted} without quotes` }
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
  if (form.form === "expression") return scalarFits(form, node)
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
    case "reportedPath":
      return typeof found === "string" && (found === "" || reportedPathPattern.test(found))
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
