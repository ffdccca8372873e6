/** Sizes of a question: small by default for any machine, as published with `--full`, and each one by its name. */

/** One size. `full` is the published one. */
export interface Scale<Value> {
  readonly small: Value
  readonly full: Value
}

export interface Options {
  /** `--name=number`. */
  number(name: string, scale: Scale<number>): number
  /** `--name=1000,4000`. */
  numbers(name: string, scale: Scale<readonly number[]>): readonly number[]
  /** `--name=word`. */
  word(name: string, otherwise: string): string
  /** Called when every option was read: ends the process with a message when an unknown option was given. */
  done(): void
}

/** Called once by a question, before it starts anything. */
export function openOptions(words: readonly string[] = process.argv.slice(2)): Options {
  const given = new Map(
    words.map((word) => {
      const [name = "", value = ""] = word.replace(/^--/, "").split(/=(.*)/)
      return [name, value] as const
    }),
  )
  const full = given.has("full")
  const asked = new Set<string>(["full"])

  function numbers(name: string, { small, full: published }: Scale<readonly number[]>): readonly number[] {
    const value = text(name)
    if (value === undefined) return full ? published : small
    const parsed = value.split(",").map(Number)
    if (value === "" || !parsed.every((one) => one >= 0)) fail(`--${name}=${value} must be a number, or several with commas between them`)
    return parsed
  }

  function text(name: string): string | undefined {
    asked.add(name)
    return given.get(name)
  }

  return {
    numbers,
    number: (name, scale) => numbers(name, { small: [scale.small], full: [scale.full] })[0] ?? scale.small,
    word: (name, otherwise) => text(name) ?? otherwise,
    done() {
      const unknown = [...given.keys()].filter((name) => !asked.has(name))
      if (unknown.length > 0) fail(`no such option: ${unknown.join(", ")}; there are ${[...asked].join(", ")}`)
    },
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
