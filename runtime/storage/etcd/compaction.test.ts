import { expect, test } from "vitest"
import type { Connection } from "./connection.ts"
import { takeTurnToCompact } from "./compaction.ts"

/** The key that servers compete for to compact: every write increments its version. */
class TurnKey {
  version = 0

  /** Answers the one transaction that is sent as etcd does; the connection has more methods than compaction calls. */
  readonly connection = {
    call: async (_call: unknown, { compare, failure }: { compare: readonly { version: number }[]; failure: readonly object[] }) => {
      const succeeded = compare[0]?.version === this.version
      if (succeeded) this.version++
      return { succeeded, responses: succeeded || failure.length === 0 ? [{}] : [{ range: { kvs: [{ version: this.version }] } }] }
    },
  } as unknown as Connection // The fake answers one kind of call only.
}

test("one of several servers compacts at a time, and all learn the version of the key", async () => {
  const key = new TurnKey()
  const servers = [{ turn: 0 }, { turn: 0 }, { turn: 0 }]
  const taken: number[][] = []
  for (let interval = 0; interval < 6; interval++) {
    const winners: number[] = []
    for (const [index, server] of servers.entries()) {
      const result = await takeTurnToCompact(key.connection, { turn: server.turn, revision: 100 + interval })
      server.turn = result.turn
      if (result.taken) winners.push(index)
      // Winner or not, a server's turn is the version of the key.
      expect(server.turn).toBe(key.version)
    }
    taken.push(winners)
  }
  expect(taken).toEqual([[0], [0], [0], [0], [0], [0]])
})

test("a server that starts later learns the turn from the others and takes the next one", async () => {
  const key = new TurnKey()
  key.version = 41
  const first = await takeTurnToCompact(key.connection, { turn: 0, revision: 100 })
  expect(first).toEqual({ taken: false, turn: 41 })
  expect(await takeTurnToCompact(key.connection, { turn: first.turn, revision: 200 })).toEqual({ taken: true, turn: 42 })
})
