import { OptionError } from "../options/command-line.ts"

/**
 * Called by commands that have flags besides the option table. Removes `--name value` and `--name=value` from the
 * arguments; the later value wins. Throws OptionError when a value is missing.
 */
export function takeFlags<const Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { values: Partial<Record<Name, string>>; rest: string[] } {
  const values: Partial<Record<Name, string>> = {}
  const rest: string[] = []
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [written = "", attached] = arg.split(/=(.*)/s)
    const name = names.find((candidate) => written === `--${candidate}`)
    if (name === undefined) {
      rest.push(arg)
      continue
    }
    const value = attached ?? left.shift()
    if (value === undefined) throw new OptionError(`--${name} needs a value`)
    values[name] = value
  }
  return { values, rest }
}

/** Called by commands that have switches of their own. Removes every `--name` from the arguments. */
export function takeSwitch(args: readonly string[], name: string): { on: boolean; rest: string[] } {
  const rest = args.filter((arg) => arg !== `--${name}`)
  return { on: rest.length < args.length, rest }
}
