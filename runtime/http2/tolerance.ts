/** What a client may do that costs it little and us much: how often, until its connection is ended. */
import { http2CheapFramesBurst, http2CheapFramesPerSecond, http2ResetsBurst, http2ResetsPerSecond } from "./limits.ts"
import { Allowance } from "./allowance.ts"
import { ConnectionFault, errorCode } from "./protocol.ts"
import type { ElapsedClock } from "./surroundings.ts"

/** Streams that we reset and the client may not know of yet: what it sent before it knew is no fault. */
const resetsKept = 100

/** Made for each connection. */
export class Tolerance {
  private readonly resetIds = new Set<number>()
  private readonly resets: Allowance
  private readonly cheapFrames: Allowance

  constructor(clock: ElapsedClock) {
    this.resets = new Allowance({ burst: http2ResetsBurst, perSecond: http2ResetsPerSecond }, clock)
    this.cheapFrames = new Allowance({ burst: http2CheapFramesBurst, perSecond: http2CheapFramesPerSecond }, clock)
  }

  /** A frame cost the client nothing and us something: CVE-2019-9511, 9512, 9515, 9518. Throws ConnectionFault when there are too many. */
  countCheap(): void {
    if (!this.cheapFrames.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many frames say nothing")
  }

  /** A client that opens and resets streams all the time has us work for nothing: CVE-2023-44487. Throws as above. */
  countReset(): void {
    if (!this.resets.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many streams are reset")
  }

  /** We reset a stream. For what the client did that counts as if it had: CVE-2025-8671. Throws as above. */
  countOwnReset(streamId: number, code: number): void {
    const isClients = code !== errorCode.noError && code !== errorCode.internalError
    if (isClients && !this.resets.take()) throw new ConnectionFault(errorCode.enhanceYourCalm, "too many streams are at fault")
    this.resetIds.add(streamId)
    if (this.resetIds.size > resetsKept) for (const oldest of this.resetIds) if (this.resetIds.delete(oldest)) break
  }

  /** We reset the stream not long ago. */
  wasReset(streamId: number): boolean {
    return this.resetIds.has(streamId)
  }
}
