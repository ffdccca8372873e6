/** The texts of the option table: for `--help`, and for docs/OPTIONS.md. */
import { groups, type Option } from "./option.ts"
import { type OptionName, optionNames, optionTable } from "./table.ts"

const helpWidth = 100

/** Returns the options part of `--help`, by group. `names`: the options that the command reads. */
export function optionsHelp(names: readonly OptionName[] = optionNames): string {
  const sections = groups.flatMap((group) => {
    const rows = names.filter((name) => optionTable[name].group === group)
    return rows.length === 0 ? [] : [`${group}:\n${rows.map(helpEntry).join("\n")}`]
  })
  return sections.join("\n\n")
}

function helpEntry(name: OptionName): string {
  const row = optionTable[name]
  const short = row.short === undefined || row.short === name ? "" : `-${row.short}, `
  const flag = row.short === name ? `-${name}` : `--${name}`
  const shown = defaultText(name)
  const help = helpText(name)
  const text = shown === "" ? help : `${help} (default ${shown})`
  return `  ${`${short}${flag} ${row.type.word}`.trimEnd()}\n${wrap(text, helpWidth - 8)
    .map((line) => `        ${line}`)
    .join("\n")}`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** Longer lists of words are not printed; the option's text explains them. */
const wordsMax = 8

/** The help with the words that a value may have, unless it explains them all. */
export function helpText(name: OptionName): string {
  const { help, type } = optionTable[name]
  const words = type.words ?? []
  const explained = new Set(help.split(/[\s:,.]+/).map(keyOf))
  const isExplained = words.length > wordsMax || words.every((word) => explained.has(keyOf(word)))
  return isExplained ? help : `${help} Values: ${words.join(", ")}.`
}

/** `max-age=SECONDS` → `max-age`. */
function keyOf(word: string): string {
  return word.split("=")[0] ?? word
}

/** Empty when the default is an empty value. */
export function defaultText(name: OptionName): string {
  return optionTable[name].defaultText ?? formatDefault<unknown>(optionTable[name])
}

function formatDefault<T>(row: Option<T>): string {
  return row.type.format(row.default)
}
