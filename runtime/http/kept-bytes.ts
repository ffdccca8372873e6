/**
 * Counts the bytes that the process keeps for its clients: unread heads and bodies, and answers and events that clients
 * have not taken. Each connection has an account. When all accounts together exceed a limit, the connection that holds
 * the most is ended.
 *
 * Nothing else counts these bytes for all clients together. `watchWaitingBytesMax` (`verbs/watch/watch-stream.ts`)
 * bounds the bytes that wait for one watch, and `Stalled` bounds the time.
 *
 * Several connections may hold the same frames of a watch. The frames count in the account of each of them, and once in
 * the total. Bytes that a connection copies for its socket, and bytes that it alone has, are charged to its account.
 * Over HTTP/1.1 node does not report which bytes wait: all waiting bytes of a watch are charged as the copy in TLS.
 */
import { authenticatedClientsBytesMax, strangersBytesMax } from "../base/limits.ts"

/** A connection, as its account sees it. */
export interface AccountOwner {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** The `User-Agent` of an open request. */
  userAgent(): string | undefined
  /** Returns the uncharged bytes that the connection holds now. Called before the account is compared. */
  measure(): number
  /** Ends the connection without answering open requests. Called in its own turn of the event loop. */
  cut(): void
}

/** The log entry for a connection that was ended. */
export interface CutConnection {
  readonly remoteAddress: string | undefined
  /** Empty for a client that never authenticated. */
  readonly user: string
  readonly userAgent: string
  readonly bytes: number
  /** The name and value of the limit that was exceeded. All connections of this sort share it. */
  readonly limit: "knownClientsBytesMax" | "strangersBytesMax"
  readonly limitBytes: number
}

export interface KeptBytesOptions {
  /** Default `authenticatedClientsBytesMax` and `strangersBytesMax`. */
  readonly knownMax?: number
  readonly strangersMax?: number
  /** Called for each connection that was ended because it held the most. */
  readonly onCut?: (cut: CutConnection) => void
  /** Called for each connection when its first request has authenticated. */
  readonly onKnown?: (owner: AccountOwner) => void
}

/** One per listener. */
export class KeptBytes {
  private readonly strangers: Pool
  private readonly known: Pool
  private readonly shared: SharedBytes
  private readonly onKnown: (owner: AccountOwner) => void

  constructor(options: KeptBytesOptions = {}) {
    const {
      knownMax = authenticatedClientsBytesMax,
      strangersMax = strangersBytesMax,
      onCut = () => undefined,
      onKnown = () => undefined,
    } = options
    this.onKnown = onKnown
    this.strangers = new Pool("strangersBytesMax", strangersMax, onCut)
    this.known = new Pool("knownClientsBytesMax", knownMax, onCut)
    this.shared = new SharedBytes(this.known)
  }

  /** Called once per connection. */
  open(owner: AccountOwner): Account {
    return new Account(owner, { strangers: this.strangers, known: this.known, shared: this.shared, onKnown: this.onKnown })
  }

  /** The bytes of unauthenticated connections, and of the others. */
  get bytes(): { readonly strangers: number; readonly known: number } {
    return { strangers: this.strangers.bytes, known: this.known.bytes }
  }
}

interface Budget {
  readonly strangers: Pool
  readonly known: Pool
  readonly shared: SharedBytes
  readonly onKnown: (owner: AccountOwner) => void
}

/** The bytes that one connection holds. */
export class Account {
  /** Bytes that only this connection holds. */
  bytes = 0
  /** Bytes that other connections may hold as well. */
  private sharedBytes = 0
  /** The user of the latest request that authenticated; empty before that. */
  user = ""
  /** The part of `bytes` that the owner measured. */
  private measured = 0
  private pool: Pool
  private isClosed = false

  constructor(
    readonly owner: AccountOwner,
    private readonly budget: Budget,
  ) {
    this.pool = budget.strangers
    this.pool.add(this)
  }

  /** Called whenever the connection keeps this many bytes more, or, if negative, fewer. */
  charge(bytes: number): void {
    if (this.isClosed) return
    this.bytes += bytes
    this.pool.count(bytes)
  }

  /**
   * Called when shared bytes begin to wait for the connection. `release` follows with the same object, even after
   * `close`.
   */
  hold(bytes: Uint8Array): void {
    this.sharedBytes += bytes.length
    this.budget.shared.hold(bytes)
  }

  /** Called when the bytes no longer wait for the connection. */
  release(bytes: Uint8Array): void {
    this.sharedBytes -= bytes.length
    this.budget.shared.release(bytes)
  }

  /** All bytes that wait for the connection, shared ones included. Accounts are compared by it. */
  get heldBytes(): number {
    return this.bytes + this.sharedBytes
  }

  /** Called when the uncharged bytes of the connection are known. */
  measure(): void {
    const measured = this.owner.measure()
    this.charge(measured - this.measured)
    this.measured = measured
  }

  /** A request of this connection has authenticated: from now on the larger limit applies. */
  identify(user: string): void {
    this.user = user
    if (this.isKnown || this.isClosed) return
    this.pool.remove(this)
    this.pool = this.budget.known
    this.pool.add(this)
    this.budget.onKnown(this.owner)
  }

  /** True once `identify` was called. */
  get isKnown(): boolean {
    return this.pool === this.budget.known
  }

  /** Called when the connection is closed and holds nothing. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.pool.remove(this)
    this.bytes = 0
  }
}

/** After connections were ended, the rest may use this share of the limit. */
const roomyShare = 7 / 8
/** The most characters of a `User-Agent` in the log. */
const loggedCharactersMax = 200

/** Bytes that wait for several connections. Only authenticated clients receive shared bytes. */
class SharedBytes {
  /** The number of holders of each. */
  private readonly holders = new Map<Uint8Array, number>()

  constructor(private readonly pool: Pool) {}

  hold(bytes: Uint8Array): void {
    const holders = this.holders.get(bytes) ?? 0
    this.holders.set(bytes, holders + 1)
    if (holders === 0) this.pool.count(bytes.length)
  }

  release(bytes: Uint8Array): void {
    const holders = this.holders.get(bytes) ?? 0
    if (holders > 1) {
      this.holders.set(bytes, holders - 1)
    } else if (this.holders.delete(bytes)) this.pool.count(-bytes.length)
  }
}

/** The accounts that share a limit. */
class Pool {
  bytes = 0
  private readonly accounts = new Set<Account>()
  private willRelieve = false

  constructor(
    private readonly limit: CutConnection["limit"],
    private readonly bytesMax: number,
    private readonly onCut: (cut: CutConnection) => void,
  ) {}

  add(account: Account): void {
    this.accounts.add(account)
    this.count(account.bytes)
  }

  remove(account: Account): void {
    if (this.accounts.delete(account)) this.count(-account.bytes)
  }

  count(bytes: number): void {
    this.bytes += bytes
    if (this.bytes <= this.bytesMax || this.willRelieve) return
    this.willRelieve = true
    // In a turn of its own: the connection that charged these bytes is still at work.
    process.nextTick(() => this.relieve())
  }

  /**
   * Frees more than the excess, so that the next byte does not cause another search. Shared bytes may stay until their
   * last holder releases them; if too few bytes were freed, the next charge runs this again.
   */
  private relieve(): void {
    for (const account of this.accounts) account.measure()
    if (this.bytes > this.bytesMax) {
      let left = this.bytes
      const largestFirst = [...this.accounts].sort((one, other) => other.heldBytes - one.heldBytes)
      for (const account of largestFirst) {
        if (left <= roomyShare * this.bytesMax) break
        left -= account.heldBytes
        this.cut(account)
      }
    }
    this.willRelieve = false
  }

  private cut(account: Account): void {
    const { heldBytes: bytes, owner, user } = account
    const userAgent = (owner.userAgent() ?? "").slice(0, loggedCharactersMax)
    this.onCut({ remoteAddress: owner.remoteAddress, user, userAgent, bytes, limit: this.limit, limitBytes: this.bytesMax })
    account.close()
    owner.cut()
  }
}
