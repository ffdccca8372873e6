/**
 * Preallocates the file of a store beyond its content. A flush that extends the file or writes blocks for the first
 * time also has to wait for the file system's journal: on ext4 it took two to three times as long as a flush of blocks
 * that had been written before. Writing zeros ahead of the data prepares such blocks while no commit waits for them.
 */
import { type FileHandle, open } from "node:fs/promises"

export interface Preallocation {
  /**
   * Called after `bytes` more were committed. Returns at once and never throws: without preallocated room commits are
   * only slower.
   */
  committed(bytes: number): void
  /** Called before the store is closed; `usedBytes` is not called afterwards. */
  stop(): void
  /** Resolves once nothing is being written. */
  idle(): Promise<void>
}

export interface PreallocationOptions {
  /** The file of the store; it exists. */
  readonly path: string
  /**
   * End of the store's data in the file, in bytes. Called once for each `preallocationStepBytes` that are committed or
   * appended.
   */
  readonly usedBytes: () => number
}

/** Bytes appended and flushed at a time: a concurrent commit's flush waits for no more than this. */
export const preallocationStepBytes = 256 * 1024
/** Maximum of bytes kept ahead: about a second of commits. A small store's file is kept twice as long as its data. */
const aheadBytesMax = 4 * 1024 * 1024

const zeros = new Uint8Array(preallocationStepBytes)

/** Called once in the storage worker. */
export function createPreallocation({ path, usedBytes }: PreallocationOptions): Preallocation {
  /** Bytes committed since the last call of `usedBytes`. */
  let unmeasured = 0
  let growing: Promise<void> | undefined
  let stopped = false
  /** A file that could not be extended, on a full disk for instance, is left alone until it holds this much. */
  let againFromBytes = 0

  async function grow(used: number): Promise<void> {
    let file: FileHandle | undefined
    try {
      // Appending is safe beside a thread that writes the same file: it never overwrites bytes that the store has
      // written at the end meanwhile.
      file = await open(path, "a")
      for (let now = used; !stopped && (await file.stat()).size - now < Math.min(aheadBytesMax, now); now = stopped ? now : usedBytes()) {
        await file.appendFile(zeros)
        await file.datasync()
      }
    } catch {
      againFromBytes = used + preallocationStepBytes
    } finally {
      await file?.close().catch(() => undefined)
    }
    growing = undefined
  }
  return {
    committed(bytes) {
      unmeasured += bytes
      if (unmeasured < preallocationStepBytes || growing !== undefined || stopped) return
      unmeasured = 0
      const used = usedBytes()
      if (used >= againFromBytes) growing = grow(used)
    },
    stop() {
      stopped = true
    },
    async idle() {
      await growing
    },
  }
}
