/** Configuration files, mutated: each is read or refused with a text for people, in a moment. */
import { nonEmpty } from "../objects.ts"
import { hostileText, mutated, nearly } from "../texts.ts"
import type { SeededRandom } from "../../sim/world/random.ts"
import { makeReaders, type Reader } from "./readers.ts"
import type { Sort } from "./sort.ts"

/** Characters of a drawn text. */
const charactersMax = 20_000
/** Milliseconds of processor time for one text; a megabyte would take no more in any of these formats. */
const readMsMax = 2000
const messageCharactersMax = 4000

export const files: Sort = async () => {
  const { readers, remove } = await makeReaders()
  const names = nonEmpty(Object.keys(readers))
  return {
    async take(random) {
      const name = random.pick(names)
      const reader = readers[name]
      const fault = reader === undefined ? "there is none" : faultOf(reader, drawn(random, reader))
      return fault === undefined ? undefined : `${name}: ${fault}`
    },
    stop: async () => remove(),
  }
}

function drawn(random: SeededRandom, { good }: Reader): string {
  const choice = random.integer(10)
  if (choice === 0) return hostileText(random, random.pick([100, charactersMax]))
  if (choice < 4) return nearly(random, good, charactersMax)
  return mutated(random, Buffer.from(random.pick(nonEmpty(good)))).toString(random.chance(0.9) ? "utf8" : "latin1")
}

/** Exported so that its own mistakes can be tried. */
export function faultOf({ read }: Pick<Reader, "read">, text: string): string | undefined {
  const before = process.cpuUsage()
  const fault = outcomeOf(read, text)
  const { user, system } = process.cpuUsage(before)
  const ms = Math.round((user + system) / 1000)
  return fault ?? (ms > readMsMax ? `a text of ${text.length} characters took ${ms} ms of processor time` : undefined)
}

function outcomeOf(read: Reader["read"], text: string): string | undefined {
  try {
    return read(text)
  } catch (error) {
    if (!(error instanceof Error)) return `it threw ${JSON.stringify(error)}`
    // Mistakes of the program: their messages do not help the author of the file.
    if (error instanceof TypeError && !("code" in error)) return `it threw ${error.stack}`
    if (error instanceof RangeError || error instanceof ReferenceError) return `it threw ${error.stack}`
    if (error.message === "") return "it is refused without a word"
    if (error.message.length > messageCharactersMax) return `it is refused with ${error.message.length} characters`
    return undefined
  }
}
