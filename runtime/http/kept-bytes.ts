/**
 * What the process keeps for its clients: heads and bodies of requests that were not read yet, answers and events that
 * were not taken yet. Each connection has an account; when all of them together are too much, the connection that holds
 * most is ended.
 *
 * Nothing else counts these bytes for all clients together. Frames of watches belong to nobody alone: they are held by
 * the accounts of all whom they wait for, and count once for all of these. What a connection copies for its socket, and
 * what only it has, is charged to its account. Over HTTP/1.1 node does not tell which bytes wait: there all of a watch
 * that waits is charged as the copy that TLS has of it.
 *
 * How much may wait for one watch, `watchWaitingBytesMax`, is up to `verbs/watch/watch-stream.ts`; how long it may, to
 * `Stalled`. Neither counts for all.
 */
import { authenticatedClientsBytesMax, strangersBytesMax } from "../base/limits.ts"

/** A connection, as its account sees it. */
export interface AccountOwner {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** What a request that is under way says of its client. */
  userAgent(): string | undefined
  /** Called before it is judged by what it holds: bytes that it holds now besides those that were charged. */
  measure(): number
  /** Ends the connection, without an answer to what is under way. Called in a turn of its own. */
  cut(): void
}

/** What the log says about a connection that was ended. */
export interface CutConnection {
  readonly remoteAddress: string | undefined
  /** Empty for a client that never authenticated. */
  readonly user: string
  readonly userAgent: string
  readonly bytes: number
  /** The limit that all connections of its sort share, by name, and its value. */
  readonly limit: "knownClientsBytesMax" | "strangersBytesMax"
  readonly limitBytes: number
}

export interface KeptBytesOptions {
  /** Default `authenticatedClientsBytesMax` and `strangersBytesMax`. */
  readonly knownMax?: number
  readonly strangersMax?: number
  /** Called for each connection that was ended because it held most. */
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

  /** What connections hold that never authenticated, and the others. */
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

/** What one connection holds. */
export class Account {
  /** What it holds alone. */
  bytes = 0
  /** What others may hold as well. */
  private sharedBytes = 0
  /** The user of the latest request that authenticated; empty before that. */
  user = ""
  /** Of `bytes`, what the owner measured. */
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

  /** Called whenever the connection keeps so many bytes more, or, below zero, less. */
  charge(bytes: number): void {
    if (this.isClosed) return
    this.bytes += bytes
    this.pool.count(bytes)
  }

  /**
   * Called when bytes that are shared begin to wait for the connection; `release` follows with the same object, also
   * after `close`.
   */
  hold(bytes: Uint8Array): void {
    this.sharedBytes += bytes.length
    this.budget.shared.hold(bytes)
  }

  /** Called when they do not wait for it any more. */
  release(bytes: Uint8Array): void {
    this.sharedBytes -= bytes.length
    this.budget.shared.release(bytes)
  }

  /** By which it is judged: all that waits for it, whoever else holds it. */
  get heldBytes(): number {
    return this.bytes + this.sharedBytes
  }

  /** Called when it is known how much the connection holds besides what is charged. */
  measure(): void {
    const measured = this.owner.measure()
    this.charge(measured - this.measured)
    this.measured = measured
  }

  /** A request of this connection has authenticated: it may hold as much as clients need. */
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

  /** Called when the connection is closed: it holds nothing. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.pool.remove(this)
    this.bytes = 0
  }
}

/** Share of a limit that may be used after connections were ended because of it. */
const roomyShare = 7 / 8
/** Characters of a `User-Agent` in the log. */
const loggedCharactersMax = 200

/** Bytes that wait for several connections. Only clients that have authenticated are sent such. */
class SharedBytes {
  /** How often they are held. */
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

/** Accounts that share a limit. */
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
    // Not from within what the connection is doing now.
    process.nextTick(() => this.relieve())
  }

  /**
   * Some room is made, so that it is not looked for again with the next byte. What a connection shared may be freed
   * with the last who holds it only: if it was too little, the next byte shows it.
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
