import { expect, test } from "vitest"
import type { Connection } from "./connection.ts"
import { takeTurnToCompact } from "./compaction.ts"

/** The one key of etcd that compaction is about: every write makes its version one higher. */
class TurnKey {
  version = 0

  /** As etcd answers the one transaction that is sent; the connection has more methods than compaction calls. */
  readonly connection = {
    call: async (_call: unknown, { compare, failure }: { compare: readonly { version: number }[]; failure: readonly object[] }) => {
      const succeeded = compare[0]?.version === this.version
      if (succeeded) this.version++
      return { succeeded, responses: succeeded || failure.length === 0 ? [{}] : [{ range: { kvs: [{ version: this.version }] } }] }
    },
  } as unknown as Connection // For a single call the fake speaks the language of that call.
}

test("of several servers one compacts at a time, and the others learn how often the key was written", async () => {
  const key = new TurnKey()
  const servers = [{ turn: 0 }, { turn: 0 }, { turn: 0 }]
  const taken: number[][] = []
  for (let interval = 0; interval < 6; interval++) {
    const winners: number[] = []
    for (const [index, server] of servers.entries()) {
      const result = await takeTurnToCompact(key.connection, { turn: server.turn, revision: 100 + interval })
      server.turn = result.turn
      if (result.taken) winners.push(index)
      // Winner or not, what a server knows is what the key says.
      expect(server.turn).toBe(key.version)
    }
    taken.push(winners)
  }
  expect(taken).toEqual([[0], [0], [0], [0], [0], [0]])
})

test("a server that comes later learns the turn from the others and takes the next one", async () => {
  const key = new TurnKey()
  key.version = 41
  const first = await takeTurnToCompact(key.connection, { turn: 0, revision: 100 })
  expect(first).toEqual({ taken: false, turn: 41 })
  expect(await takeTurnToCompact(key.connection, { turn: first.turn, revision: 200 })).toEqual({ taken: true, turn: 42 })
})
