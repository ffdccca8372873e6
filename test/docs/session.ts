/** The terminals of a reader of a document: one for commands, and a second one for a command that goes on. */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { Readable } from "node:stream"

export interface SessionOptions {
  /** The current folder at the start. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** The port that replaces 6443. */
  readonly port: number
  /** Runs a command in place of bash. Resolves with its output, or undefined to leave it to bash. */
  readonly inPlace?: (command: string, folder: string) => string | undefined
}

/** A command that hangs is ended, so that its output is reported. */
const commandLimitMs = 240_000

interface Server {
  readonly child: ChildProcess
  readonly exit: Promise<void>
  ended: boolean
  /** Output that no block has matched yet. */
  unread: string
  changed: () => void
}

/** A free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

export class Session {
  folder: string
  /** Bash code that sets the variables and functions of earlier commands. Bash complains of read-only ones. */
  private shell = ""
  private server: Server | undefined

  constructor(private readonly options: SessionOptions) {
    this.folder = options.folder
  }

  /** Resolves with the exit code and all output, errors included, in its order. */
  async run(command: string): Promise<{ readonly code: number | null; readonly text: string }> {
    const done = this.options.inPlace?.(command, this.folder)
    if (done !== undefined) return { code: 0, text: trimmed(done) }
    const script = `${this.shell}\nexec 2>&1\n${command}\ncode=$?\n{ pwd; declare -p; declare -f; } >&3\nexit $code\n`
    const child = spawn("bash", ["-c", script], {
      cwd: this.folder,
      env: this.options.env,
      stdio: ["ignore", "pipe", "ignore", "pipe"],
      detached: true,
    })
    const limit = setTimeout(() => kill(child, "SIGKILL"), commandLimitMs)
    const [text, state, code] = await Promise.all([all(child.stdio[1]), all(child.stdio[3]), exitOf(child)])
    clearTimeout(limit)
    const [folder = "", ...shell] = state.split("\n")
    if (folder !== "") [this.folder, this.shell] = [folder, shell.join("\n")]
    return { code, text: trimmed(text) }
  }

  /** Starts the command of the second terminal. */
  start(command: string): void {
    if (this.server !== undefined) throw new Error("the command of the second terminal goes on")
    const child = spawn("bash", ["-c", `${this.shell}\nexec 2>&1\n${command}`], {
      cwd: this.folder,
      env: this.options.env,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    })
    const exit = exitOf(child).then(() => undefined)
    const server: Server = { child, exit, ended: false, unread: "", changed: () => undefined }
    child.stdout.on("data", (chunk: Buffer) => {
      server.unread += chunk.toString()
      server.changed()
    })
    void exit.then(() => {
      server.ended = true
      server.changed()
    })
    this.server = server
  }

  /** Resolves when the unread output of the second terminal matches; with a fault when it can no longer match. */
  async read(pattern: RegExp): Promise<string | undefined> {
    const { server } = this
    if (server === undefined) return "no command goes on in the second terminal"
    return new Promise((resolve) => {
      const look = (): void => {
        const text = trimmed(server.unread)
        const match = pattern.exec(text)
        if (match === null && !server.ended) return
        clearTimeout(timer)
        server.changed = () => undefined
        if (match !== null) server.unread = text.slice(match[0].length)
        resolve(match === null ? `the command ended without the expected output; it wrote:\n${text}` : undefined)
      }
      const give = (): void => resolve(`not the expected output within a minute:\n${server.unread}\nexpected ${String(pattern)}`)
      const timer = setTimeout(give, 60_000)
      server.changed = look
      look()
    })
  }

  /** ^C in the second terminal. Resolves with the output that follows. */
  async interrupt(): Promise<string> {
    const { server } = this
    if (server === undefined) return ""
    if (!server.ended) kill(server.child, "SIGINT")
    await server.exit
    this.server = undefined
    return trimmed(server.unread)
  }

  async end(): Promise<void> {
    const { server } = this
    if (server === undefined || server.ended) return
    kill(server.child, "SIGKILL")
    await server.exit
  }
}

/** Signals a command and the processes that it has started, as ^C in a terminal does. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => void child.once("close", (code) => resolve(code)))
}

async function all(stream: unknown): Promise<string> {
  let text = ""
  if (stream instanceof Readable) for await (const chunk of stream) text += String(chunk)
  return text
}

/** The text without spaces at the ends of lines, and with a final line feed. */
function trimmed(text: string): string {
  const plain = text.replaceAll(/[ \t\r]+$/gm, "")
  return plain === "" || plain.endsWith("\n") ? plain : `${plain}\n`
}
