/** Measures, at intervals, whether a client makes progress. Between two checks this costs nothing. */
import type { Socket } from "node:net"
import type { Sender } from "./sender.ts"
import { Stalled } from "./stalled.ts"
import type { ServerStream } from "./stream.ts"
import type { StreamTable } from "./stream-table.ts"

/** Created for each connection. */
export class ConnectionCheck {
  private receiving: unknown
  private receivingSinceMs = 0
  /** The latest stream id at the check that found no stream open; undefined while some are open. */
  private idleBehind: number | undefined
  private idleSinceMs = 0
  private readonly socket: Stalled
  private readonly answers: Stalled

  constructor(private readonly progressBytes: number) {
    this.socket = new Stalled(progressBytes)
    this.answers = new Stalled(progressBytes)
  }

  /** Milliseconds for which the same `begun` has been arriving. `begun` is undefined if nothing is arriving. */
  receivingForMs(nowMs: number, begun: unknown): number {
    if (begun === undefined || begun !== this.receiving) {
      this.receiving = begun
      this.receivingSinceMs = nowMs
    }
    return nowMs - this.receivingSinceMs
  }

  /** Milliseconds for which no stream has been open. */
  idleForMs(nowMs: number, { streams, latestId }: { readonly streams: number; readonly latestId: number }): number {
    const idleBehind = streams > 0 ? undefined : latestId
    if (idleBehind === undefined || idleBehind !== this.idleBehind) {
      this.idleBehind = idleBehind
      this.idleSinceMs = nowMs
    }
    return nowMs - this.idleSinceMs
  }

  /** Milliseconds for which the kernel has taken next to nothing of the waiting bytes. */
  socketStalledForMs(nowMs: number, { bytesWritten, writableLength }: Pick<Socket, "bytesWritten" | "writableLength">): number {
    return this.socket.forMs(nowMs, { waits: writableLength, taken: bytesWritten - writableLength })
  }

  /**
   * The streams whose answers have waited too long for their own window, or for the connection's. Answers take turns at
   * the window of the connection, so there the progress of all of them counts. While the socket is busy, the state of
   * windows is unknown.
   */
  stalledStreams(
    nowMs: number,
    { streams, sender, timeoutMs }: { readonly streams: StreamTable; readonly sender: Sender; readonly timeoutMs: number },
  ): readonly ServerStream[] {
    let waitsInAll = 0
    const stalled = streams.filter((stream) => {
      const { outgoing } = stream
      const waits = sender.isIdle && outgoing.writableLength > 0 && !outgoing.mayWait ? outgoing.writableLength : 0
      if (waits === 0 && stream.stalled === undefined) return false
      waitsInAll += waits
      stream.stalled ??= new Stalled(this.progressBytes)
      return stream.stalled.forMs(nowMs, { waits, taken: outgoing.takenBytes }) >= timeoutMs
    })
    const isAllStalled = this.answers.forMs(nowMs, { waits: waitsInAll, taken: sender.sentBytes }) >= timeoutMs
    return stalled.filter(({ sendWindowBytes }) => isAllStalled || sendWindowBytes <= 0)
  }
}
