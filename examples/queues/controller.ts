import { ApiError, type ObjectClient } from "orch-apiserver"
import { itemHandlers } from "./generated/queue.example.com/v1/item/handlers.ts"
import { queueHandlers } from "./generated/queue.example.com/v1/queue/handlers.ts"

/** Counts the items of each queue until the signal is aborted. */
export async function countItems(client: ObjectClient, signal: AbortSignal): Promise<void> {
  const queues = queueHandlers(client)
  const items = itemHandlers(client)

  /** Reads the present state and not the event: it may run twice, or once for two events. */
  async function count(namespace: string, name: string): Promise<void> {
    const { spec, status } = await queues.get(namespace, name)
    const found = await items.list(namespace, { fieldSelector: `spec.queue=${name}` })
    const [length, accepts] = [found.items.length, new RegExp(spec.accepts ?? "", "u")]
    const state = length < spec.capacity ? "Open" : "Full"
    if (status.length !== length || status.state !== state) await queues.status.patch(namespace, name, { status: { length, state } })
    for (const { metadata } of found.items) if (!accepts.test(metadata.name ?? "")) await items.delete(namespace, metadata.name ?? "")
  }

  async function follow(changes: AsyncIterable<{ readonly namespace: string; readonly queue: string }>): Promise<void> {
    for await (const { namespace, queue } of changes)
      await count(namespace, queue).catch((error: unknown) => {
        // The queue is gone, or was never there.
        if (!(error instanceof ApiError && error.code === 404)) throw error
      })
  }

  async function* changesOfQueues(): AsyncGenerator<{ namespace: string; queue: string }> {
    for await (const { type, object } of queues.watch("", { signal }))
      if (type !== "DELETED") yield { namespace: object.metadata.namespace ?? "", queue: object.metadata.name ?? "" }
  }

  async function* changesOfItems(): AsyncGenerator<{ namespace: string; queue: string }> {
    for await (const { object } of items.watch("", { signal }))
      yield { namespace: object.metadata.namespace ?? "", queue: object.spec.queue }
  }

  await Promise.all([follow(changesOfQueues()), follow(changesOfItems())])
}
