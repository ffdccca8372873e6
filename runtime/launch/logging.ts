/** The server's log: lines for people or JSON, on standard error. It never contains credentials. */
import { loggedText } from "../base/confidential.ts"
import { withAuthorPositions } from "./author-positions.ts"
import pino, { type DestinationStream, type Logger } from "pino"

/** Paths at which a logged object could contain a credential. */
const redacted = [
  "token",
  "*.token",
  "authorization",
  "*.authorization",
  "headers.authorization",
  "*.headers.authorization",
  "key",
  "*.key",
]

/**
 * Called once at start. `write` gets whole lines. By default they are written to standard error synchronously, so that
 * nothing is lost in a crash.
 */
export function createLog(options: { format: "text" | "json"; verbosity: number; write?: (line: string) => void }): Logger {
  const level = options.verbosity >= 6 ? "trace" : options.verbosity >= 4 ? "debug" : "info"
  const standard = options.write === undefined ? pino.destination({ dest: 2, sync: true }) : { write: options.write }
  const destination: DestinationStream = options.format === "json" ? standard : { write: (line) => void standard.write(textLine(line)) }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: "[redacted]" },
      serializers: { err: loggedError },
    },
    destination,
  )
}

/**
 * Errors in the code of `--api` are shown with the lines of its author. Other fields of an error are left out but for
 * its code: node's errors have the packet that could not be parsed, and libraries' errors the claims of a token.
 */
function loggedError(error: unknown): unknown {
  // A program's code may throw anything.
  if (!(error instanceof Error)) return error
  if ("logged" in error) return { type: error.name, message: loggedText(error) }
  const { type, message, stack } = pino.stdSerializers.err(error)
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {}
  return { type, message, ...code, ...(typeof stack === "string" && { stack: withAuthorPositions(stack) }) }
}

/**
 * The log of a server inside another program: only errors, which are faults of the server or of an author's code, on
 * standard error. The client of such a request only gets 500.
 */
export function errorLog(): Logger {
  const log = createLog({ format: "text", verbosity: 0 })
  log.level = "error"
  return log
}

/** A log that discards everything, for tools and tests. */
export function silentLog(): Logger {
  return pino({ level: "silent" })
}

const levelWords: Readonly<Record<number, string>> = { 10: "TRACE", 20: "DEBUG", 30: "INFO ", 40: "WARN ", 50: "ERROR", 60: "FATAL" }

/** `2026-11-21T10:05:55.123Z INFO  listening url=https://127.0.0.1:6443`. */
function textLine(json: string): string {
  const { level, time, msg, err, ...rest }: Record<string, unknown> = JSON.parse(json)
  const fields = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(value)}`,
  )
  return `${String(time)} ${levelWords[Number(level)] ?? String(level)} ${String(msg)}${fields.join("")}${errorText(err)}\n`
}

function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return ""
  const text = "stack" in error ? error.stack : "message" in error ? error.message : undefined
  return typeof text === "string" ? `\n${text}` : ""
}
