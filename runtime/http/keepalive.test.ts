import { describe, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { endWhenDead } from "./keepalive.ts"

const intervalMs = 1000

/** A connection whose other end is played by the test. */
function createConnection(answers: () => boolean | Error) {
  const closed: (() => void)[] = []
  const connection = {
    destroyed: false,
    pings: 0,
    socket: { bytesRead: 0, bytesWritten: 0, writableLength: 0 },
    /** Whether the system takes no more bytes, so that written bytes wait. */
    isFull: false,
    write(bytes: number) {
      connection.socket.bytesWritten += bytes
      if (connection.isFull) connection.socket.writableLength += bytes
    },
    ping(over: (fault: Error | null) => void) {
      connection.pings++
      // The system takes the ping even if the other end is gone.
      connection.write(17)
      const answer = answers()
      if (answer !== false) over(answer === true ? null : answer)
      return true
    },
    end() {
      connection.destroyed = true
      for (const listener of closed) listener()
    },
    on(_event: "close", listener: () => void) {
      closed.push(listener)
    },
  }
  return connection
}

function watched(answers: () => boolean | Error) {
  const clock = createManualClock()
  const connection = createConnection(answers)
  endWhenDead(connection, { clock, intervalMs, end: () => connection.end() })
  return { clock, connection }
}

describe("endWhenDead", () => {
  it("keeps a connection that answers pings", () => {
    const { clock, connection } = watched(() => true)
    clock.advance(100 * intervalMs)
    expect(connection).toMatchObject({ destroyed: false, pings: 100 })
  })

  it("keeps a connection that is too busy to answer, but takes bytes", () => {
    const { clock, connection } = watched(() => false)
    connection.isFull = true
    connection.write(100_000)
    for (let check = 0; check < 20; check++) {
      connection.socket.writableLength -= 1000
      clock.advance(intervalMs)
    }
    expect(connection.destroyed).toBe(false)
  })

  it("ends a connection that takes no bytes once the system is full", () => {
    const { clock, connection } = watched(() => false)
    for (let check = 0; check < 3; check++) {
      connection.write(1000)
      connection.isFull = check > 0
      clock.advance(intervalMs)
    }
    expect(connection.destroyed).toBe(true)
  })

  it("ends a connection that gives no sign of life", () => {
    const { clock, connection } = watched(() => false)
    clock.advance(2 * intervalMs)
    expect(connection.destroyed).toBe(false)
    clock.advance(intervalMs)
    expect(connection.destroyed).toBe(true)
  })

  it("ends a connection to which no ping could be sent", () => {
    const { clock, connection } = watched(() => new Error("cancelled"))
    clock.advance(3 * intervalMs)
    expect(connection.destroyed).toBe(true)
  })

  it("keeps a connection that was silent for a while", () => {
    let answers = false
    const { clock, connection } = watched(() => answers)
    clock.advance(2 * intervalMs)
    answers = true
    connection.socket.bytesRead++
    clock.advance(intervalMs)
    answers = false
    clock.advance(2 * intervalMs)
    expect(connection.destroyed).toBe(false)
  })

  it("stops checking once the connection is closed", () => {
    const { clock, connection } = watched(() => true)
    connection.end()
    clock.advance(10 * intervalMs)
    expect(connection.pings).toBe(0)
    expect(clock.nextDueMs()).toBeUndefined()
  })
})
