/**
 * Parses a command line as the reference server does: `--name=value`, `--name value`, `--flag`, `--flag=false`, `-v4`;
 * `--` ends the options.
 */
import { nearest } from "../base/nearest.ts"
import { type OptionName, isOptionName, optionNames, optionTable } from "./table.ts"

/** The text given for an option, and where it was given. */
export interface GivenOption {
  readonly name: OptionName
  readonly text: string
  /** For messages: `--secure-port`, `ORCH_SECURE_PORT`, `securePort in server.yaml`. */
  readonly source: string
}

export interface CommandLine {
  readonly given: readonly GivenOption[]
  readonly positionals: readonly string[]
  readonly help: boolean
}

/** An invalid option. The message names the option, its value and the valid values. */
export class OptionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "OptionError"
  }
}

/** Called with the arguments after the command. Throws OptionError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const given: GivenOption[] = []
  const positionals: string[] = []
  let help = false
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      positionals.push(...rest.splice(0))
    } else if (arg === "--help" || arg === "-h") {
      help = true
    } else if (arg.startsWith("--")) {
      given.push(longOption(arg, rest))
    } else if (arg.startsWith("-") && arg !== "-") {
      given.push(shortOption(arg, rest))
    } else {
      positionals.push(arg)
    }
  }
  return { given, positionals, help }
}

function longOption(arg: string, rest: string[]): GivenOption {
  const equals = arg.indexOf("=")
  const written = arg.slice(2, equals < 0 ? undefined : equals)
  // Underscores count as dashes, as in the reference server.
  const name = written.replaceAll("_", "-")
  if (!isOptionName(name)) throw unknownOption(`--${written}`, name)
  const source = `--${name}`
  if (equals >= 0) return { name, text: arg.slice(equals + 1), source }
  return { name, text: nextText(name, source, rest), source }
}

function shortOption(arg: string, rest: string[]): GivenOption {
  const letter = arg.slice(1, 2)
  const name = optionNames.find((candidate) => optionTable[candidate].short === letter)
  if (name === undefined) {
    const long = arg.slice(1).split("=")[0] ?? ""
    throw isOptionName(long)
      ? new OptionError(`${arg}: long options begin with two dashes: -${arg}`)
      : new OptionError(`unknown option ${arg}; --help lists the options`)
  }
  const source = `-${letter}`
  const attached = arg.slice(2).replace(/^=/, "")
  if (arg.length > 2) return { name, text: attached, source }
  return { name, text: nextText(name, source, rest), source }
}

function nextText(name: OptionName, source: string, rest: string[]): string {
  // A boolean takes no separate value: the next argument is an argument of its own.
  if (optionTable[name].type.word === "") return "true"
  const text = rest.shift()
  if (text === undefined) throw new OptionError(`${source} needs a value: ${optionTable[name].type.expected}`)
  return text
}

/** The error for a name that is not in the table. */
export function unknownOption(written: string, name: string): OptionError {
  const close = nearest(name, optionNames)
  return new OptionError(`unknown option ${written}${close === undefined ? "; --help lists the options" : `; did you mean --${close}?`}`)
}
