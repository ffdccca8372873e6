/** Bounds the frames that cost a client little and the server much; with more, the connection is ended. */
import { http2CheapFramesBurst, http2CheapFramesPerSecond, http2ResetsBurst, http2ResetsPerSecond } from "./limits.ts"
import { Allowance } from "./allowance.ts"
import { ConnectionFault, errorCode } from "./protocol.ts"
import type { ElapsedClock } from "./surroundings.ts"

/** Remembered resets: frames that the client sent before it saw the reset are no fault. */
const resetsKept = 100

/** Created for each connection. */
export class Tolerance {
  private readonly resetIds = new Set<number>()
  private readonly resets: Allowance
  private readonly cheapFrames: Allowance

  constructor(clock: ElapsedClock) {
    this.resets = new Allowance({ burst: http2ResetsBurst, perSecond: http2ResetsPerSecond }, clock)
    this.cheapFrames = new Allowance({ burst: http2CheapFramesBurst, perSecond: http2CheapFramesPerSecond }, clock)
  }

  /**
   * A frame cost the client nothing and the server some work: CVE-2019-9511, 9512, 9515, 9518. Throws ConnectionFault
   * if there are too many.
   */
  countCheap(): void {
    if (!this.cheapFrames.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many frames say nothing")
  }

  /** The client reset a stream, which wastes the work for it: CVE-2023-44487. Throws as above. */
  countReset(): void {
    if (!this.resets.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many streams are reset")
  }

  /**
   * The server reset a stream. If the client caused it, it counts as the client's reset: CVE-2025-8671. Throws as
   * above.
   */
  countOwnReset(streamId: number, code: number): void {
    const isClients = code !== errorCode.noError && code !== errorCode.internalError
    if (isClients && !this.resets.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many streams are at fault")
    this.resetIds.add(streamId)
    if (this.resetIds.size > resetsKept) for (const oldest of this.resetIds) if (this.resetIds.delete(oldest)) break
  }

  /** Whether the server reset the stream recently. */
  wasReset(streamId: number): boolean {
    return this.resetIds.has(streamId)
  }
}
