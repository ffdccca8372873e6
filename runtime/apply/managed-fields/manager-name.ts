/** The name of a client as a field manager. */
import { managerBytesMax } from "../../base/limits.ts"
import { memoize } from "../../base/memoize.ts"

const unknownManager = "unknown"
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/**
 * Returns the request's `fieldManager`, or else the program in its User-Agent: the text before the first slash,
 * printable characters only. `userAgent` is the header as node reads it, one character per byte.
 */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== "") return fieldManager
  return userAgent === undefined ? unknownManager : programOf(userAgent)
}

const programOf = memoize((userAgent) => {
  const slash = userAgent.indexOf("/")
  const program = Buffer.from(slash < 0 ? userAgent : userAgent.slice(0, slash), "latin1").toString("utf8")
  return shortened(program.replace(unprintable, "")) || unknownManager
})

function shortened(name: string): string {
  if (name.length * 3 <= managerBytesMax || Buffer.byteLength(name) <= managerBytesMax) return name
  let bytes = 0
  let result = ""
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > managerBytesMax) break
    result += character
  }
  return result
}
