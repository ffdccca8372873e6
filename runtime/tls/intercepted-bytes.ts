/**
 * Takes the bytes of a connection before node's TLS gets them, and gives the connection back. Node reads encrypted
 * bytes in C++, straight from the socket into OpenSSL; a stream of JavaScript below TLS would see them, and would stay
 * there for the life of the connection, at twice the CPU for long lists. Node's HTTP parser is the one part that is put
 * on top of a socket's readers and taken off again: node does so for each connection of HTTP/1.1. It need not be able
 * to parse these bytes: it reports each piece, and has a copy of it.
 *
 * The undocumented parts of this are checked when the server starts: `checkInterception`, `takesBytes`.
 */
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"

/** The part of node's HTTP parser that is used. */
interface Parser {
  initialize(type: number, resource: object): void
  consume(handle: object): void
  unconsume(): void
  /** The bytes that were read last. May be called only within the callback. */
  getCurrentBuffer(): Buffer
  close(): void
  [callback: number]: () => void
}

interface ParserClass {
  new (): Parser
  readonly REQUEST: number
  readonly kOnExecute: number
}

/** The handle of node's TLS. */
interface TlsHandle {
  /** Takes bytes as if they had been read from the socket. */
  receive(bytes: Buffer): void
  readStart(): void
  readStop(): void
}

/** Bytes of one connection, read before TLS gets them. */
export interface Interception {
  /** Gives these bytes to TLS. */
  pass(bytes: Buffer): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  /** Lets TLS read by itself from now on. */
  end(): void
}

/**
 * Called before anything is read for `stream`, which encrypts `socket`. `onBytes` gets each piece.
 */
export function intercept(stream: TLSSocket, socket: Socket, onBytes: (bytes: Buffer) => void): Interception {
  const Parser = parserClass()
  const parser = new Parser()
  parser.initialize(Parser.REQUEST, {})
  parser[Parser.kOnExecute] = () => onBytes(parser.getCurrentBuffer())
  parser.consume(handleOf(socket))
  let isEnded = false
  const end = (): void => {
    if (isEnded) return
    isEnded = true
    parser.unconsume()
    // The parser may be in the middle of a call.
    setImmediate(() => parser.close())
  }
  stream.once("close", end)
  // Node removes the handle when the connection closes; it must get nothing after its destruction.
  const use = (call: (handle: TlsHandle) => void): void => {
    const handle = stream.destroyed ? undefined : tlsHandleOf(stream)
    if (handle !== undefined) call(handle)
  }
  return {
    pass: (bytes) => use((handle) => handle.receive(bytes)),
    pause: () => use((handle) => handle.readStop()),
    resume: () => use((handle) => handle.readStart()),
    end,
  }
}

/** Called once at start. Throws an Error that names the missing feature of node. */
export function checkInterception(): void {
  parserClass()
}

let known: ParserClass | undefined

function parserClass(): ParserClass {
  known ??= foundClass()
  return known
}

function foundClass(): ParserClass {
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() })
  try {
    createServer().emit("connection", connection)
    const parser: unknown = "parser" in connection ? connection.parser : undefined
    const found: unknown = typeof parser === "object" && parser !== null ? parser.constructor : undefined
    if (!isParserClass(found)) throw new Error("the HTTP parser, with which the server reads what comes before TLS")
    return found
  } finally {
    connection.destroy()
  }
}

function isParserClass(found: unknown): found is ParserClass {
  if (typeof found !== "function" || !("REQUEST" in found && "kOnExecute" in found)) return false
  const prototype: unknown = found.prototype
  const methods = ["initialize", "consume", "unconsume", "getCurrentBuffer", "close"]
  return methods.every((name) => hasMethod(prototype, name))
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value && typeof Reflect.get(value, name) === "function"
}

function handleOf(socket: Socket): object {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined
  if (typeof handle !== "object" || handle === null) throw new Error("the connection is closed")
  return handle
}

/** Whether node's TLS accepts bytes that were read elsewhere. Called at start, for a stream over any connection. */
export function takesBytes(stream: TLSSocket): boolean {
  return tlsHandleOf(stream) !== undefined
}

function tlsHandleOf(stream: TLSSocket): TlsHandle | undefined {
  const handle: unknown = "_handle" in stream ? stream._handle : undefined
  return isTlsHandle(handle) ? handle : undefined
}

function isTlsHandle(handle: unknown): handle is TlsHandle {
  return ["receive", "readStart", "readStop"].every((name) => hasMethod(handle, name))
}
