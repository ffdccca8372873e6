/**
 * Reads unauthenticated connections in turns: all of them together get a few milliseconds of each turn of the event
 * loop. Otherwise a thousand connections that send as fast as they can would all be read before any other client.
 */
import type { Socket } from "node:net"
import type { Account } from "./kept-bytes.ts"
import { isPausedByNode } from "./node-internals.ts"
import { strangersFreshBytes, strangersReadBytes, strangersTurnMs } from "../base/limits.ts"

type StrangerAccount = Pick<Account, "charge" | "isKnown">
type DataListener = (chunk: Buffer) => void

/** Created once per listener. */
export class StrangerTurns {
  private readonly strangers = new WeakMap<Socket, Stranger>()
  /**
   * Connections with bytes to read. `fresh` ones, with few bytes read so far, go first: most clients authenticate
   * early.
   */
  private readonly fresh = new Set<Stranger>()
  private readonly seen = new Set<Stranger>()
  private spentMs = 0
  private isScheduled = false

  /** Called once per connection, when its readers are attached. Ends once a request of it has authenticated. */
  guard(socket: Socket, account: StrangerAccount): void {
    this.strangers.set(socket, new Stranger(socket, account, this))
  }

  /** Called when another protocol takes over the connection and its reading. */
  release(socket: Socket): void {
    this.strangers.get(socket)?.release()
  }

  /** Whether bytes may be read at once. */
  get isOpen(): boolean {
    return this.spentMs < strangersTurnMs && this.fresh.size === 0
  }

  /** Called after a read, with its duration. */
  spend(milliseconds: number): void {
    this.spentMs += milliseconds
    this.schedule()
  }

  /** Called when the connection has bytes to read. */
  wait(stranger: Stranger): void {
    const row = stranger.isFresh ? this.fresh : this.seen
    row.add(stranger)
    this.schedule()
  }

  /** Called when the connection is closed: its unread bytes would stay queued for as long as others go first. */
  leave(stranger: Stranger): void {
    this.fresh.delete(stranger)
    this.seen.delete(stranger)
  }

  /** The number of connections with bytes to read. */
  get waiting(): number {
    return this.fresh.size + this.seen.size
  }

  private next(): Stranger | undefined {
    for (const row of [this.fresh, this.seen])
      for (const stranger of row) {
        row.delete(stranger)
        return stranger
      }
    return undefined
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.spentMs = 0
      const startedMs = performance.now()
      while (performance.now() - startedMs < strangersTurnMs) {
        const next = this.next()
        if (next === undefined) return
        next.read()
      }
      this.spentMs = strangersTurnMs
      this.schedule()
    })
  }
}

/** A connection whose readers get its bytes in its turns. */
class Stranger {
  private readBytes = 0
  private readonly readers: readonly DataListener[]
  /** Bytes that arrived and were not read. The socket is paused, but still emits decrypted bytes. */
  private readonly chunks: Buffer[] = []
  private isOver = false

  constructor(
    private readonly socket: Socket,
    private readonly account: StrangerAccount,
    private readonly turns: StrangerTurns,
  ) {
    // Node's types do not distinguish the listeners of different events.
    this.readers = socket.listeners("data") as DataListener[]
    for (const reader of this.readers) socket.off("data", reader)
    socket.on("data", this.take)
    socket.once("close", () => turns.leave(this))
  }

  get isFresh(): boolean {
    return this.readBytes < strangersFreshBytes
  }

  private get isHeld(): boolean {
    return isPausedByNode(this.socket)
  }

  /** Reads one piece of the arrived bytes. */
  read(): void {
    const { chunks, socket, turns } = this
    if (this.isOver || socket.destroyed) return
    if (this.isHeld) {
      socket.once("resume", () => turns.wait(this))
      return
    }
    const chunk = chunks.shift()
    if (chunk === undefined) return
    if (chunk.length > strangersReadBytes) chunks.unshift(chunk.subarray(strangersReadBytes))
    const piece = chunk.subarray(0, strangersReadBytes)
    this.account.charge(-piece.length)
    this.pass(piece)
    if (this.isOver || socket.destroyed) return
    if (chunks.length > 0) turns.wait(this)
    else if (!this.isHeld) socket.resume()
  }

  private readonly take = (chunk: Buffer): void => {
    const { account, chunks, socket, turns } = this
    if (chunks.length === 0 && chunk.length <= strangersReadBytes && turns.isOpen) {
      const startedMs = performance.now()
      this.pass(chunk)
      turns.spend(performance.now() - startedMs)
      return
    }
    chunks.push(chunk)
    account.charge(chunk.length)
    socket.pause()
    if (chunks.length === 1) turns.wait(this)
  }

  private pass(piece: Buffer): void {
    this.readBytes += piece.length
    for (const reader of this.readers) reader.call(this.socket, piece)
    if (!this.account.isKnown || this.isOver) return
    for (const reader of this.readers) this.socket.on("data", reader)
    this.release()
  }

  /** Gives unread bytes back to the socket, whose current listeners get them. */
  release(): void {
    if (this.isOver) return
    this.isOver = true
    const { account, chunks, socket } = this
    socket.off("data", this.take)
    for (const chunk of chunks) account.charge(-chunk.length)
    if (chunks.length > 0 && !socket.destroyed) socket.unshift(Buffer.concat(chunks.splice(0)))
    if (socket.listenerCount("data") > 0 && !this.isHeld) socket.resume()
  }
}
