/** Rotated files of the audit log: their names, and rules for compressing and removing them. */
import { createReadStream, createWriteStream } from "node:fs"
import { readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"

const dayMs = 24 * 3600 * 1000
const fileMode = 0o600

/** `audit.log` → `audit-2026-11-27T14-03-54.318.log`, or the next millisecond whose file name is free. */
export function backupPath(path: string, nowMs: number, exists: (path: string) => boolean): string {
  const { head, tail } = partsOf(path)
  for (let ms = nowMs; ; ms++) {
    const time = new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-")
    const name = join(dirname(path), `${head}${time}${tail}`)
    if (!exists(name) && !exists(`${name}.gz`)) return name
  }
}

function partsOf(path: string): { readonly head: string; readonly tail: string } {
  const tail = extname(path)
  return { head: `${basename(path, tail)}-`, tail }
}

/** The time in the name of a rotated file; undefined for other files. */
function timeIn(name: string, path: string): number | undefined {
  const { head, tail } = partsOf(path)
  const plain = name.endsWith(".gz") ? name.slice(0, -".gz".length) : name
  if (!plain.startsWith(head) || !plain.endsWith(tail)) return undefined
  const [, day, hour, minute, rest] = stamp.exec(plain.slice(head.length, plain.length - tail.length)) ?? []
  return day === undefined ? undefined : Date.parse(`${day}T${hour}:${minute}:${rest}Z`)
}
const stamp = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/

interface Backup {
  readonly name: string
  readonly time: number
}

/** Called after each rotation and at the start. Rejects with errors of the file system. */
export async function tidyBackups(
  path: string,
  options: { readonly nowMs: number; readonly maxAgeDays: number; readonly maxBackups: number; readonly compress: boolean },
): Promise<void> {
  const { nowMs, maxAgeDays, maxBackups, compress } = options
  const folder = dirname(path)
  const found: Backup[] = []
  for (const name of await readdir(folder)) {
    const time = timeIn(name, path)
    if (time !== undefined) found.push({ name, time })
  }
  found.sort((one, other) => other.time - one.time)
  // Bounded: waits for the disk, once per backup.
  for (const [place, { name, time }] of found.entries()) {
    const isSurplus = maxBackups > 0 && place >= maxBackups
    const isOld = maxAgeDays > 0 && time < nowMs - maxAgeDays * dayMs
    if (isSurplus || isOld) await rm(join(folder, name), { force: true })
    else if (compress && !name.endsWith(".gz")) await compressFile(join(folder, name))
  }
}

/** Writes the archive under another name first, so that a half-written one never has the final name. */
async function compressFile(path: string): Promise<void> {
  const scratch = `${path}.gz.new`
  await pipeline(createReadStream(path), createGzip(), createWriteStream(scratch, { mode: fileMode }))
  await rename(scratch, `${path}.gz`)
  await rm(path, { force: true })
}
