/**
 * The order in which writers of one object try again. A write reads the object, changes it and commits if no other
 * write was committed meanwhile, so many writers at once would keep refusing each other, some of them for long. The
 * first attempt of a write is made at once and costs one look into a map. A refused writer waits here for its turn, in
 * order of arrival, and so do writers that come while others wait. The commit alone keeps the object correct: a turn
 * only decides which writer tries next, so one that lasts too long is passed over.
 */
import type { Clock } from "../base/clock.ts"
import { tooManyRequests } from "../base/errors.ts"
import type { OpenAttributes } from "../admission/plugin.ts"
import { tooManyRequestsRetrySeconds } from "../base/limits.ts"
import { waitingWriteBytesMax, waitingWritesMax, writeTurnMs } from "../base/write-limits.ts"

/** A write that waits for its turn. */
export interface WaitingWrite {
  /** Memory that it holds meanwhile: the size of its body. */
  readonly bytes: number
  /** Aborted at its deadline. Absent: it has none. */
  readonly expiry?: OpenAttributes["expiry"]
}

interface Ticket {
  /** Begins the turn. */
  readonly begin: () => void
  /** Stops the time of the turn. */
  cancel?: () => void
}

export class WriteQueues {
  /** By key, in order of arrival. The first has the turn. */
  private readonly queues = new Map<string, Set<Ticket>>()
  private waiting = 0
  private waitingBytes = 0

  constructor(private readonly clock: Clock) {}

  /** Whether others wait to write this key, or write it in turn. */
  isContended(key: string): boolean {
    return this.queues.has(key)
  }

  /**
   * Resolves when it is this writer's turn. Call the returned function when it has written or given up. Rejects with
   * the reason of `expiry`, or with 429 when too much waits already.
   */
  async enter(key: string, write: WaitingWrite): Promise<() => void> {
    const queue = this.queues.get(key) ?? new Set()
    if (queue.size === 0) this.queues.set(key, queue)
    else this.checkRoom(write)
    return new Promise((resolve, reject) => {
      const ticket: Ticket = {
        begin: () => {
          ticket.cancel = this.clock.after(writeTurnMs, leave)
          resolve(leave)
        },
      }
      const leave = (): void => this.leave(key, queue, ticket)
      queue.add(ticket)
      if (queue.size === 1) ticket.begin()
      else this.wait(ticket, write, { leave, reject })
    })
  }

  private checkRoom({ bytes }: WaitingWrite): void {
    if (this.waiting < waitingWritesMax && this.waitingBytes + bytes <= waitingWriteBytesMax) return
    throw tooManyRequests("too many writes wait for objects that others are changing; try again", tooManyRequestsRetrySeconds)
  }

  /** Counts the ticket until its turn begins, and takes it out at its deadline. */
  private wait(ticket: Ticket, { bytes, expiry }: WaitingWrite, given: { leave: () => void; reject: (reason: unknown) => void }): void {
    const { begin } = ticket
    const over = (): void => {
      this.waiting--
      this.waitingBytes -= bytes
      expiry?.removeEventListener("abort", expire)
    }
    const expire = (): void => {
      over()
      given.leave()
      given.reject(expiry?.reason)
    }
    Object.assign(ticket, {
      begin: () => {
        over()
        begin()
      },
    })
    this.waiting++
    this.waitingBytes += bytes
    expiry?.addEventListener("abort", expire)
  }

  /** Called at the end of a turn, once it lasts too long, or when a waiting writer gives up. Again: does nothing. */
  private leave(key: string, queue: Set<Ticket>, ticket: Ticket): void {
    const [first] = queue
    if (!queue.delete(ticket)) return
    ticket.cancel?.()
    const [next] = queue
    if (next === undefined) this.queues.delete(key)
    else if (first === ticket) next.begin()
  }
}
