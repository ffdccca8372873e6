/** The messages between the store and its worker: every request has one reply, in the order of the requests. */
import type { StoreError } from "../store.ts"

/** The first request. `dir`: the store's folder. */
export interface OpenRequest {
  readonly type: "open"
  readonly dir: string
  readonly mapSize?: number
}

export type WorkerRequest =
  | OpenRequest
  /** batch.ts: the number of commits (u32), then the commits. */
  | { readonly type: "commit"; readonly batch: ArrayBuffer; readonly length: number }
  | { readonly type: "compact"; readonly revision: number }
  | { readonly type: "sweep" }
  | { readonly type: "try-room"; readonly bytes: number }
  | { readonly type: "close" }

export type WorkerReply =
  /** The batch is durable; `revision` is the store's after it. */
  | { readonly type: "committed"; readonly results: ArrayBuffer; readonly revision: number }
  | { readonly type: "swept"; readonly all: boolean }
  | { readonly type: "done" }
  | { readonly type: "failed"; readonly code: StoreError["code"]; readonly message: string }
