/** Merges the sources of options: flag over environment variable over configuration file over default. */
import { nearest } from "../base/nearest.ts"
import { parseYamlFile, type YamlFile } from "../base/yaml-file.ts"
import { type GivenOption, OptionError, parseCommandLine } from "./command-line.ts"
import { configKey, environmentName, type Option } from "./option.ts"
import { defaultDataDir, type OptionName, optionNames, type Options, optionTable } from "./table.ts"

/** The sources of options; `commands` passes the process's own. */
export interface OptionSources {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the text of a configuration file. May throw; the message is shown to the user. */
  readonly readFile: (path: string) => string
}

export interface LoadedOptions {
  readonly options: Options
  /** The options that any source gives. */
  readonly given: ReadonlySet<OptionName>
  readonly positionals: readonly string[]
  readonly help: boolean
  /** Environment variables that resemble an option's, and have no effect: `ORCH_SECURE_PROT; did you mean ...?` */
  readonly misspelt: readonly string[]
}

/** Called once per command. Throws OptionError with a message for the user. */
export function loadOptions(sources: OptionSources): LoadedOptions {
  const { given: flags, positionals, help } = parseCommandLine(sources.args)
  const variables = fromEnvironment(sources.env)
  const file = [...variables, ...flags].findLast((one) => one.name === "config")?.text ?? ""
  const layers = [file === "" ? [] : fromFile(file, sources.readFile), variables, flags]
  const values: Partial<Record<OptionName, unknown>> = {}
  const given = new Set<OptionName>()
  for (const name of optionNames) {
    const layer = layers.findLast((texts) => texts.some((one) => one.name === name)) ?? []
    const texts = layer.filter((one) => one.name === name)
    if (texts.length > 0) given.add(name)
    values[name] = valueOf<unknown>(optionTable[name], texts)
  }
  // The type of each row parsed the value of that row.
  const options = values as Options
  const dataDir = given.has("data-dir") ? options["data-dir"] : defaultDataDir(options.vendor)
  return { options: { ...options, "data-dir": dataDir }, given, positionals, help, misspelt: misspeltVariables(sources.env) }
}

/** All defaults; library callers start from these. */
export function defaultOptions(): Options {
  return loadOptions({ args: [], env: {}, readFile: () => "" }).options
}

function valueOf<T>(row: Option<T>, texts: readonly GivenOption[]): T {
  const { type } = row
  let value: T | undefined
  for (const one of texts) {
    const next = type.parse(one.text)
    if (next === undefined) throw wrongValue(row, one)
    value = value !== undefined && type.combine !== undefined ? type.combine(value, next) : next
  }
  if (value === undefined) return row.default
  return type.over === undefined ? value : type.over(row.default, value)
}

function wrongValue<T>(row: Option<T>, given: GivenOption): OptionError {
  const { type } = row
  const wrong = given.text
    .split(",")
    .map((part) => part.split("=")[0]?.trim() ?? "")
    .find((part) => type.words?.includes(part) === false)
  const close = wrong === undefined ? undefined : nearest(wrong, type.words ?? [])
  const hint = close === undefined ? "" : `; did you mean ${close}?`
  return new OptionError(`${given.source}: ${JSON.stringify(given.text)} will not do: expected ${type.expected}${hint}`)
}

function fromEnvironment(env: OptionSources["env"]): GivenOption[] {
  return optionNames.flatMap((name) => {
    const source = environmentName(name)
    const text = env[source]
    return text === undefined ? [] : [{ name, text, source }]
  })
}

/** Lists only names close to an option's: other variables with this prefix may exist, such as a Service's. */
function misspeltVariables(env: OptionSources["env"]): string[] {
  const prefix = environmentName("")
  const words = new Set(optionNames.map((name) => environmentName(name).slice(prefix.length)))
  return Object.keys(env).flatMap((name) => {
    const word = name.slice(prefix.length)
    const close = name.startsWith(prefix) && !words.has(word) ? nearest(word, words) : undefined
    return close === undefined ? [] : [`${name} is no option and has no effect; did you mean ${prefix}${close}?`]
  })
}

function fromFile(path: string, readFile: OptionSources["readFile"]): GivenOption[] {
  const document = parseFile(path, readFile)
  const names = new Map(optionNames.filter((name) => name !== "config").map((name) => [configKey(name), name]))
  return Object.entries(document).flatMap(([key, value]) => {
    const name = names.get(key)
    if (name === undefined) {
      const close = nearest(key, names.keys())
      throw new OptionError(`${path}: unknown key ${key}${close === undefined ? "" : `; did you mean ${close}?`}`)
    }
    return textsOf(value, `${key} in ${path}`).map((text) => ({ name, text, source: `${key} in ${path}` }))
  })
}

function parseFile(path: string, readFile: OptionSources["readFile"]): object {
  let document: unknown
  try {
    document = contentOf(parseYamlFile(readFile(path)))
  } catch (error) {
    throw new OptionError(`--config: ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (document === null || document === undefined) return {}
  if (typeof document !== "object" || Array.isArray(document))
    throw new OptionError(`--config: ${path} must hold option names and values, such as securePort: 6443`)
  return document
}

function contentOf({ document, lines }: YamlFile): unknown {
  const [fault] = document.errors
  if (fault === undefined) return document.toJS()
  const { line, col } = lines.linePos(fault.pos[0])
  throw new Error(`line ${line}, column ${col}: ${fault.message}`)
}

/** A list counts as the option given repeatedly, a map as `key=value` items. */
function textsOf(value: unknown, source: string): string[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return [String(value)]
  if (Array.isArray(value)) return value.length === 0 ? [""] : value.flatMap((item) => textsOf(item, source))
  if (typeof value === "object" && value !== null) return Object.entries(value).map(([key, item]) => `${key}=${String(item)}`)
  throw new OptionError(`${source}: a value is missing`)
}
