/** English spelling, by cspell's dictionary and the words of `words.txt`: terms of the field and names of products. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { decodeTrie } from "cspell-trie-lib"
import { repository } from "./source.ts"

/** The words of the project, one a line, sorted. */
export const ownWords: readonly string[] = readFileSync(fileURLToPath(new URL("words.txt", import.meta.url)), "utf8")
  .split("\n")
  .filter((word) => word !== "")

// The package exports only its settings, which name this file.
const dictionaryFile = join(repository, "node_modules/@cspell/dict-en_us/en_US.trie.gz")
const dictionary = decodeTrie(gunzipSync(readFileSync(dictionaryFile)))
const own: ReadonlySet<string> = new Set(ownWords)

/** The words of a text that no list has. Code in backquotes, paths, numbers and names with dots have no spelling. */
export function misspelled(text: string): string[] {
  return [...new Set(proseWords(text).filter((word) => !isOwn(word) && !isEnglish(word)))]
}

/** A word that is listed in lower case may begin a sentence. */
function isOwn(word: string): boolean {
  return own.has(word) || own.has(word.slice(0, 1).toLowerCase() + word.slice(1))
}

export function isEnglish(word: string): boolean {
  return dictionary.has(word) || dictionary.has(word.toLowerCase())
}

/** The words of a text as lists have them: without quotes and the possessive, and split at hyphens. Keeps capitals. */
export function proseWords(text: string): string[] {
  return text
    .replaceAll(/`[^`]*`/g, " ")
    .split(/[\s()"“”,;:=<>]+/)
    .filter((token) => !/[\\/@*_$]|\p{L}\.\p{L}/u.test(token))
    .flatMap((token) => token.split(/[-–—]/))
    .map((part) => part.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s?$/, ""))
    .filter((word) => /\p{L}{2}/u.test(word) && !/^\p{N}/u.test(word))
}
