/**
 * The process lock of a store: one process at a time may write it. The owner listens on a socket of its own in the
 * store's folder; the kernel closes the socket when the process ends for whatever reason, so no stale lock remains. The
 * store itself records which socket counts, and a transaction protects that record: of two processes that find a dead
 * owner, one becomes the next.
 */
import { randomBytes } from "node:crypto"
import { closeSync, openSync, rmSync } from "node:fs"
import type { Server } from "node:net"
import { connect, createServer } from "node:net"
import { hostname } from "node:os"
import { join } from "node:path"
import { StoreError } from "../store.ts"
import type { Environment } from "./environment.ts"
import { metaKeys, storeErrorOf } from "./environment.ts"
import { formatVersion } from "./layout.ts"

/** The lock's record in the store: the socket, and process and host for the error message. */
interface LockRecord {
  readonly socket: string
  readonly pid: number
  readonly host: string
}

export interface ProcessLock {
  /** Called when the store is closed, so that another process may open it. */
  release(): Promise<void>
}

/**
 * Called at open, before anything is written. Throws StoreError "unavailable" while another store, in this process or
 * another, is open on the folder.
 */
export async function acquireProcessLock(environment: Environment): Promise<ProcessLock> {
  const { dir } = environment
  const self: LockRecord = { socket: `owner-${randomBytes(6).toString("hex")}.sock`, pid: process.pid, host: hostname() }
  const place = openPlace(dir)
  const server = await listen(place.path(self.socket), dir).catch((error: unknown) => {
    place.close()
    throw error
  })
  async function release(): Promise<void> {
    await new Promise<void>((resolve) => server.close(() => resolve()))
    rmSync(join(dir, self.socket), { force: true })
    place.close()
  }
  try {
    let other = claim(environment, self, undefined)
    while (other !== undefined) {
      if (await isListening(place.path(other.socket))) throw inUse(dir, other)
      rmSync(join(dir, other.socket), { force: true })
      other = claim(environment, self, other)
    }
    return { release }
  } catch (error) {
    await release()
    throw storeErrorOf(error, dir)
  }
}

function inUse(dir: string, owner: LockRecord): StoreError {
  return new StoreError(
    "unavailable",
    `the store in ${dir} is open in process ${owner.pid} on ${owner.host}; one process at a time may write it`,
  )
}

/**
 * Records `self` as the owner if there is no owner or the owner is still `dead`; otherwise returns the present owner.
 */
function claim(environment: Environment, self: LockRecord, dead: LockRecord | undefined): LockRecord | undefined {
  const { meta, root } = environment
  return root.transactionSync(() => {
    const entered = readOwner(meta.get(metaKeys.owner))
    if (entered !== undefined && entered.socket !== dead?.socket) return entered
    meta.putSync(metaKeys.owner, Buffer.from(JSON.stringify(self)))
    meta.putSync(metaKeys.format, Buffer.from(String(formatVersion)))
    return undefined
  })
}

function readOwner(bytes: Buffer | undefined): LockRecord | undefined {
  return bytes === undefined ? undefined : JSON.parse(bytes.toString())
}

/** The longest path of a socket on every platform; on Linux, an open folder gives access to longer ones. */
const socketPathBytes = 100

function openPlace(dir: string): { path(name: string): string; close(): void } {
  const longest = join(dir, "owner-000000000000.sock")
  if (process.platform !== "linux" || Buffer.byteLength(longest) <= socketPathBytes)
    return { path: (name) => join(dir, name), close: () => undefined }
  const folder = openSync(dir, "r")
  return { path: (name) => `/proc/self/fd/${folder}/${name}`, close: () => closeSync(folder) }
}

function listen(path: string, dir: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A connection that succeeds is the whole message.
    const server = createServer((socket) => socket.destroy())
    server.once("error", (error) =>
      reject(new StoreError("unavailable", `cannot lock the store in ${dir}: ${error.message}; it needs a local file system`)),
    )
    server.listen(path, () => resolve(server))
    server.unref()
  })
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false)
      // The owner is alive; its queue of connections is full.
      else if (error.code === "EAGAIN") resolve(true)
      else reject(new StoreError("unavailable", `cannot determine whether the store is in use: ${error.message}`))
    })
  })
}
