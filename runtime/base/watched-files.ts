/** Files that a running server reads again when they change: certificates, authorities, configurations. */
import type { Clock } from "./clock.ts"
import { FileTooLargeError, readFileText, rereadFileText } from "./file-text.ts"

/** Milliseconds between two looks at a file that a running server reads again. */
export const fileCheckMs = 1000

export interface WatchedFilesOptions<T> {
  readonly paths: readonly string[]
  /** Of each of `paths`. Default `optionFileBytesMax`. */
  readonly bytesMax?: number
  /** Further files, which the texts of `paths` name. Throws as `read` does. */
  readonly named?: (texts: readonly string[]) => readonly string[]
  /** Gets the texts in the order of the paths, then of `named`. Throws an Error that says what is wrong with them. */
  readonly read: (texts: readonly string[]) => T
  readonly clock: Clock
  /** Called when changed files cannot be read, once per change; what was read before stays in force. */
  readonly onFault: (error: unknown) => void
}

/**
 * A value from the contents of some files. They are looked at every `fileCheckMs`: their content, since a mounted
 * secret changes by an exchange of links. Files that change one after the other, such as a certificate and its key, are
 * taken up once they fit.
 */
export class WatchedFiles<T> {
  private value: T
  private texts: readonly string[]
  private further: Further
  private readonly listeners: ((value: T) => void)[] = []
  private cancel: () => void = () => undefined
  private isStopped = false
  /** Why a file could not be read when they were looked at last. */
  private unread: string | undefined

  /** Reads the files at once. Throws the system's error, FileTooLargeError, and what `read` throws. */
  constructor(private readonly options: WatchedFilesOptions<T>) {
    const first = options.paths.map((path) => readFileText(path, options.bytesMax))
    this.further = { by: first, paths: options.named?.(first) ?? [] }
    this.texts = [...first, ...this.further.paths.map((path) => readFileText(path))]
    this.value = options.read(this.texts)
    this.checkLater()
  }

  get current(): T {
    return this.value
  }

  /** Calls `listener` after each change that could be read. */
  onChange(listener: (value: T) => void): void {
    this.listeners.push(listener)
  }

  stop(): void {
    this.isStopped = true
    this.cancel()
  }

  private checkLater(): void {
    this.cancel = this.options.clock.after(fileCheckMs, () => void this.check())
  }

  private async check(): Promise<void> {
    const { bytesMax, onFault, paths, read } = this.options
    try {
      const first = await textsOf(paths, bytesMax)
      if (differ(first, this.further.by)) this.further = this.furtherOf(first)
      const texts = [...first, ...(await textsOf(this.further.paths))]
      if (this.isStopped) return
      if (differ(texts, this.texts)) {
        this.texts = texts
        if (this.further.fault !== undefined) throw this.further.fault
        this.value = read(texts)
        for (const listener of this.listeners) listener(this.value)
      }
      this.unread = undefined
    } catch (error) {
      // A file that is gone or too large is reported once; invalid content is read, and reported, only once.
      const unread = error instanceof Error && ("syscall" in error || error instanceof FileTooLargeError) ? error.message : undefined
      if (!this.isStopped && (unread === undefined || unread !== this.unread)) onFault(error)
      this.unread = unread
    }
    if (!this.isStopped) this.checkLater()
  }

  private furtherOf(first: readonly string[]): Further {
    try {
      return { by: first, paths: this.options.named?.(first) ?? [] }
    } catch (error) {
      return { by: first, paths: [], fault: error }
    }
  }
}

/** The files that some texts name, or the error of reading their names. */
interface Further {
  readonly by: readonly string[]
  readonly paths: readonly string[]
  readonly fault?: unknown
}

function textsOf(paths: readonly string[], bytesMax?: number): Promise<readonly string[]> {
  return Promise.all(paths.map((path) => rereadFileText(path, bytesMax)))
}

function differ(texts: readonly string[], others: readonly string[]): boolean {
  return texts.length !== others.length || texts.some((text, index) => text !== others[index])
}
