/**
 * The file format of backups: the copy of the store, then one line with its length and checksum. LMDB maps files into
 * memory and trusts them, and reading a damaged file can end the process. Therefore nothing is opened before the
 * checksum matches.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { appendFile, open, stat } from "node:fs/promises"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { StoreError } from "../store.ts"

const trailerOf = (length: number, sha256: string): string =>
  `\norch-apiserver backup 1 sha256 ${sha256} bytes ${String(length).padStart(16, "0")}\n`
const trailerBytes = trailerOf(0, "0".repeat(64)).length
const trailerPattern = /^\norch-apiserver backup 1 sha256 ([0-9a-f]{64}) bytes (\d{16})\n$/

/** Called with a finished copy of a store: appends the last line, which makes it a backup. */
export async function sealBackup(file: string): Promise<void> {
  const { size } = await stat(file)
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  await appendFile(file, trailerOf(size, hash.digest("hex")))
}

/**
 * Writes the store inside a backup to `target`, a new file. Throws StoreError "unavailable" when `file` is no backup or
 * is damaged; `target` may exist then.
 */
export async function unsealBackup(file: string, target: string): Promise<void> {
  const { sha256, length } = await readTrailer(file)
  const hash = createHash("sha256")
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const source = createReadStream(file, { end: length - 1 })
  await pipeline(source, hashing, createWriteStream(target, { flags: "wx", mode: 0o600 }))
  if (hash.digest("hex") !== sha256)
    throw new StoreError("unavailable", `the backup ${file} is damaged: its content does not match its checksum`)
}

async function readTrailer(file: string): Promise<{ sha256: string; length: number }> {
  const handle = await open(file, "r")
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - trailerBytes)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(trailerBytes), position: start })
    const match = trailerPattern.exec(buffer.toString("latin1", 0, bytesRead))
    if (match?.[1] === undefined || Number(match[2]) !== start || start === 0) {
      throw new StoreError("unavailable", `${file} is not a whole backup: its last line, with length and checksum, is missing`)
    }
    return { sha256: match[1], length: start }
  } finally {
    await handle.close()
  }
}
