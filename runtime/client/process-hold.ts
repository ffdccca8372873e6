/** Keeps the process alive while a program waits for its server, which otherwise would not. */
import type { ObjectClient } from "../schema/object-client.ts"

/** A timer that never needs to fire; node allows about 25 days. */
const holdMs = 2 ** 31 - 1

/** Created once per server that does not keep its process alive. */
export class ProcessHold {
  private pending = 0
  private timer: ReturnType<typeof setInterval> | undefined

  /** Returns the result of the work, and keeps the process alive until then. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.pending++
    this.timer ??= setInterval(() => {}, holdMs)
    this.timer.ref()
    try {
      return await work()
    } finally {
      this.pending--
      if (this.pending === 0) this.timer.unref()
    }
  }

  /** The same client, whose pending operations keep the process alive, also each pending step of a watch. */
  held(client: ObjectClient): ObjectClient {
    return {
      get: (...given) => this.during(() => client.get(...given)),
      list: (...given) => this.during(() => client.list(...given)),
      create: (...given) => this.during(() => client.create(...given)),
      post: (...given) => this.during(() => client.post(...given)),
      update: (...given) => this.during(() => client.update(...given)),
      patch: (...given) => this.during(() => client.patch(...given)),
      apply: (...given) => this.during(() => client.apply(...given)),
      delete: (...given) => this.during(() => client.delete(...given)),
      deleteCollection: (...given) => this.during(() => client.deleteCollection(...given)),
      watch: (...given) => this.heldSteps(client.watch(...given)),
    }
  }

  private heldSteps<Item>(events: AsyncIterable<Item>): AsyncIterable<Item> {
    const begin = (): AsyncIterator<Item> => {
      const iterator = events[Symbol.asyncIterator]()
      return {
        next: () => this.during(() => iterator.next()),
        return: () => this.during(async () => (await iterator.return?.()) ?? { done: true, value: undefined }),
      }
    }
    return { [Symbol.asyncIterator]: begin }
  }
}
