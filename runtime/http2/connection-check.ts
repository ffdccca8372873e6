/** What a connection is asked every now and then: whether its client goes on with what it has begun. It costs nothing between two looks. */
import type { Socket } from "node:net"
import type { Sender } from "./sender.ts"
import { Stalled } from "./stalled.ts"
import type { ServerStream } from "./stream.ts"
import type { StreamTable } from "./stream-table.ts"

/** Made for each connection. */
export class ConnectionCheck {
  private receiving: unknown
  private receivingSinceMs = 0
  /** The latest stream while none is open; undefined: some are. */
  private idleBehind: number | undefined
  private idleSinceMs = 0
  private readonly socket: Stalled
  private readonly answers: Stalled

  constructor(private readonly progressBytes: number) {
    this.socket = new Stalled(progressBytes)
    this.answers = new Stalled(progressBytes)
  }

  /** For how many milliseconds the same thing, `begun`, has been arriving, undefined: nothing is. */
  receivingForMs(nowMs: number, begun: unknown): number {
    if (begun === undefined || begun !== this.receiving) {
      this.receiving = begun
      this.receivingSinceMs = nowMs
    }
    return nowMs - this.receivingSinceMs
  }

  /** For how many milliseconds no stream has been open. */
  idleForMs(nowMs: number, { streams, latestId }: { readonly streams: number; readonly latestId: number }): number {
    const idleBehind = streams > 0 ? undefined : latestId
    if (idleBehind === undefined || idleBehind !== this.idleBehind) {
      this.idleBehind = idleBehind
      this.idleSinceMs = nowMs
    }
    return nowMs - this.idleSinceMs
  }

  /** For how many milliseconds the system has taken next to nothing of what waits for it. */
  socketStalledForMs(nowMs: number, { bytesWritten, writableLength }: Pick<Socket, "bytesWritten" | "writableLength">): number {
    return this.socket.forMs(nowMs, { waits: writableLength, taken: bytesWritten - writableLength })
  }

  /**
   * Streams whose answers wait for the client's word, which did not come in time: for more of their own window, or of the connection's, where answers
   * take turns and what all of them sent counts. While the socket is busy nothing is known of streams.
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
