/**
 * Keeps the file of a store longer than what is in it. A flush behind which the file is longer, or has blocks that were never
 * written, has to wait for the journal of the file system as well: on ext4 that took two to three times as long as a flush of
 * blocks that were there before. Zeros ahead of the data are such blocks, and are written while nobody waits for them.
 */
import { type FileHandle, open } from "node:fs/promises"

export interface Headroom {
  /** Called after `bytes` more were committed. Returns at once and never throws: without room ahead commits are slower and nothing else. */
  committed(bytes: number): void
  /** Called before the store is closed: `usedBytes` is not called again. */
  stop(): void
  /** Resolves once nothing is being written. */
  idle(): Promise<void>
}

export interface HeadroomOptions {
  /** The file of the store; it exists. */
  readonly path: string
  /** How far the store has got in it, in bytes from its beginning. Called once for each `headroomStepBytes` that are committed or appended. */
  readonly usedBytes: () => number
}

/** What is appended and made durable at a time: a commit that is flushed meanwhile waits for no more than this. */
export const headroomStepBytes = 256 * 1024
/** What is kept ahead: about a second of commits. A small store is kept twice as long as it is. */
const aheadBytesMax = 4 * 1024 * 1024

const zeros = new Uint8Array(headroomStepBytes)

/** Called once in the storage worker. */
export function createHeadroom({ path, usedBytes }: HeadroomOptions): Headroom {
  /** Committed since the store was last asked how far it has got. */
  let unmeasured = 0
  let growing: Promise<void> | undefined
  let stopped = false
  /** A file that could not be made longer, on a full disk for instance, is left alone until it holds this much. */
  let againFromBytes = 0

  async function grow(used: number): Promise<void> {
    let file: FileHandle | undefined
    try {
      // Appending is safe beside a thread that writes the same file: what the store has put at its end meanwhile is never written over.
      file = await open(path, "a")
      for (let now = used; !stopped && (await file.stat()).size - now < Math.min(aheadBytesMax, now); now = stopped ? now : usedBytes()) {
        await file.appendFile(zeros)
        await file.datasync()
      }
    } catch {
      againFromBytes = used + headroomStepBytes
    } finally {
      await file?.close().catch(() => undefined)
    }
    growing = undefined
  }
  return {
    committed(bytes) {
      unmeasured += bytes
      if (unmeasured < headroomStepBytes || growing !== undefined || stopped) return
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
