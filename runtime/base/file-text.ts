/** The text of a file that an option names. Such files are read whole, so their size has a limit. */
import { closeSync, openSync, readSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { errorText } from "./error-text.ts"
import { optionFileBytesMax } from "./file-limits.ts"

const chunkBytes = 64 * 1024

/** The file is larger than it may be. The message names the file, the limit and the remedy. */
export class FileTooLargeError extends Error {
  constructor(
    readonly path: string,
    bytesMax: number,
  ) {
    super(`${path} has more than ${bytesMax} bytes, the limit for such a file; leave only what this server needs in it`)
    this.name = "FileTooLargeError"
  }
}

/** Message about a file for a person: begins with the file, as the texts of some errors do themselves. */
export function textOfFileFault(path: string, error: unknown): string {
  const text = errorText(error)
  return text.startsWith(path) ? text : `${path}: ${text}`
}

/**
 * Called at the start. Reads no more than the limit, also from a file without a size, such as a device. Throws the
 * system's error or FileTooLargeError.
 */
export function readFileText(path: string, bytesMax = optionFileBytesMax): string {
  const file = openSync(path, "r")
  try {
    const chunks: Buffer[] = []
    let size = 0
    for (;;) {
      const chunk = Buffer.alloc(chunkBytes)
      const length = readSync(file, chunk)
      if (length === 0) return Buffer.concat(chunks, size).toString("utf8")
      size += length
      if (size > bytesMax) throw new FileTooLargeError(path, bytesMax)
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(file)
  }
}

/** As `readFileText`, for a running server, whose files were of the right size before. */
export async function rereadFileText(path: string, bytesMax = optionFileBytesMax): Promise<string> {
  const { size } = await stat(path)
  if (size > bytesMax) throw new FileTooLargeError(path, bytesMax)
  return readFile(path, "utf8")
}
