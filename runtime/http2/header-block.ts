/** A header block that arrives in several frames. RFC 9113 section 6.10. */
import { GatheredBytes } from "./gathered-bytes.ts"
import { http2ContinuationsMax } from "./limits.ts"
import { ConnectionFault, errorCode } from "./protocol.ts"
import type { ConnectionAccount } from "./surroundings.ts"

/** Bounded, since a block cannot be checked before its last frame: CVE-2024-27983 and similar attacks. */
export class HeaderBlock {
  private readonly gathered = new GatheredBytes()
  private frames = 0

  readonly streamId: number
  /** The request has no body. */
  readonly isEnd: boolean

  constructor(
    { streamId, isEnd }: { readonly streamId: number; readonly isEnd: boolean },
    private readonly account: Pick<ConnectionAccount, "charge">,
    private readonly bytesMax: number,
  ) {
    this.streamId = streamId
    this.isEnd = isEnd
  }

  /** Throws ConnectionFault if the block becomes too large. */
  add(piece: Buffer): void {
    const before = this.gathered.keptBytes
    this.gathered.add(piece)
    this.account.charge(this.gathered.keptBytes - before)
    this.frames++
    if (this.gathered.length > this.bytesMax || this.frames > http2ContinuationsMax)
      throw new ConnectionFault(errorCode.enhanceYourCalm, "a header block is too large")
  }

  /** Returns the block once it is complete. */
  take(): Buffer {
    this.account.charge(-this.gathered.keptBytes)
    return this.gathered.take()
  }
}
