import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StoreError } from "../store.ts"

/** Holds the lock file and the first pages of a store, with room for the first objects. */
export const roomToStartBytes = 256 * 1024

/**
 * Called before a folder's first store is opened. Throws StoreError "unavailable" when the disk does not take the first
 * bytes: LMDB maps its lock file into memory, and touching a page that the disk has no block for ends the process with
 * SIGBUS.
 */
export function requireRoom(dir: string): void {
  if (existsSync(join(dir, "lock.mdb"))) return
  const probe = join(dir, ".room")
  try {
    const file = openSync(probe, "w", 0o600)
    try {
      writeFileSync(file, Buffer.alloc(roomToStartBytes))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const why = error instanceof Error && "code" in error && error.code === "ENOSPC" ? "the disk is full" : String(error)
    throw new StoreError("unavailable", `${dir} has no room for a store, which begins with ${roomToStartBytes} bytes: ${why}`)
  } finally {
    rmSync(probe, { force: true })
  }
}
