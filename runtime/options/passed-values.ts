/** Options that a program passes to `startServer`: values by name, from the same table as the command line. */
import { inspect } from "node:util"
import { nearest } from "../base/nearest.ts"
import { OptionError } from "./command-line.ts"
import { configKey, type Option } from "./option.ts"
import { accepts } from "./value-types.ts"
import { isOptionName, type Options, optionNames, optionTable } from "./table.ts"

/** The options that only the program reads. */
export type ProgramOption = {
  [Name in keyof typeof optionTable]: (typeof optionTable)[Name] extends { readonly programOnly: true } ? Name : never
}[keyof typeof optionTable]

/** The options that a program may pass, by name. */
export type PassedOptions = Partial<Omit<Options, ProgramOption>>

/**
 * Returns `defaults` with the given values in place. Called once per server, with all that the program passed except
 * `others`, the names that are not in the table. An undefined value counts as absent. Throws OptionError for an unknown
 * name, a wrong value, and an option that only the program reads.
 */
export function passedOptions(given: object, { defaults, others }: { defaults: Options; others: readonly string[] }): Options {
  const values: Record<string, unknown> = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    if (!isOptionName(name)) throw unknownName(name, others)
    const row: Option<unknown> = optionTable[name]
    if (row.programOnly === true) throw new OptionError(`startServer: ${name} is an option of the program orch-apiserver alone`)
    if (value !== undefined) values[name] = checked(row, name, value)
  }
  // Each value has been checked against the type of its row.
  return values as unknown as Options
}

function checked<T>({ type, default: preset }: Option<T>, name: string, value: T): T {
  if (accepts(type, value)) return type.over === undefined ? value : type.over(preset, value)
  const close = typeof value === "string" && type.words !== undefined ? nearest(value, type.words) : undefined
  const hint = close === undefined ? "" : `; did you mean ${JSON.stringify(close)}?`
  const shown = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY })
  throw new OptionError(`startServer: ${name}: ${shown} will not do: expected ${type.expectedValue ?? type.expected}${hint}`)
}

function unknownName(name: string, others: readonly string[]): OptionError {
  const meant = optionNames.find((one) => configKey(one) === name) ?? nearest(name, [...optionNames, ...others])
  const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`
  return new OptionError(`startServer: unknown option ${JSON.stringify(name)}${hint}`)
}
