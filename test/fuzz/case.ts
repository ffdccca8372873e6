/**
 * Cases of the fuzzer, one act on the server each: plain records, drawn from a seed and a number, so that each can be
 * drawn again.
 */

/** A valid HTTP request with arbitrary content. */
export interface RequestCase {
  readonly type: "request"
  readonly protocol: "http1" | "http2"
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  readonly chunked?: boolean
}

/** Bytes on a connection of their own, in these writes. */
export interface BytesCase {
  readonly type: "bytes"
  readonly protocol: "http1" | "http2"
  readonly writes: readonly Buffer[]
}

/** A request through a proxy path or to a node agent, and the other end's response. */
export interface BackendCase {
  readonly type: "backend"
  readonly path: string
  readonly answer: readonly Buffer[]
  /** Repeats the last part of `answer` as long as it is read. */
  readonly endless: boolean
}

export type FuzzCase = RequestCase | BytesCase | BackendCase

const shownCharacters = 160

/** Describes a case in one line. */
export function describeCase(one: FuzzCase): string {
  switch (one.type) {
    case "request":
      return `${one.protocol} ${one.method} ${short(one.path)} ${short(JSON.stringify(one.headers))} body of ${one.body?.length ?? 0}: ${short(one.body?.toString("latin1") ?? "")}`
    case "bytes":
      return `${one.protocol} bytes, ${one.writes.length} writes: ${short(Buffer.concat([...one.writes.slice(0, 10)]).toString("latin1"))}`
    case "backend":
      return `GET ${short(one.path)} answered ${one.endless ? "without an end " : ""}by ${short(Buffer.concat([...one.answer]).toString("latin1"))}`
  }
}

function short(text: string): string {
  const shown = JSON.stringify(text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}... of ${text.length}`)
  return shown.slice(1, -1)
}
