/**
 * A server of own kinds, generated from the texts of schema files. Generating takes longer than a request: tests
 * of a file share one server, and each writes objects of its own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runGenerator } from "../../codegen/cli.ts"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { type LibraryOptions, startServer } from "../../runtime/library.ts"
import { type AnswerHeaders, createHttpClient } from "./http-client.ts"

/** An answer with its body parsed; for a watch, its first event. */
export interface JsonAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: JsonObject
}

export interface OwnServer {
  /** Sends a request as the administrator. A text is sent as YAML, unless its type is given. Answers are JSON. */
  send(method: string, path: string, body?: JsonValue, contentType?: string, accept?: string): Promise<JsonAnswer>
  stop(): Promise<void>
}

/** A server of own kinds, with the project that it was generated from. */
export interface OwnProject extends OwnServer {
  /** Starts another server of the same kinds, which the caller stops. */
  start(options: LibraryOptions): Promise<OwnServer>
}

/** The namespace that exists from the start. */
export const ownNamespace = "kitchen"

/**
 * Called before the tests of a file, with schema files by their paths below `schemas/`. Throws with the diagnostics of
 * `gen` where it has any. The store is in memory.
 */
export async function startOwn(schemas: Readonly<Record<string, string>>): Promise<OwnProject> {
  const folder = mkdtempSync(join(tmpdir(), "own-kinds-"))
  try {
    await generate(folder, schemas)
    const start = (options: LibraryOptions): Promise<OwnServer> => startGenerated(join(folder, "generated"), options)
    const { send, stop } = await start({})
    const remove = (): void => rmSync(folder, { recursive: true })
    return { send, start, stop: () => stop().then(remove) }
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
}

async function startGenerated(generated: string, options: LibraryOptions): Promise<OwnServer> {
  const server = await startServer({ api: [generated], ...options })
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  const send: OwnServer["send"] = async (method, path, body, contentType, accept = "application/json") => {
    const type = contentType ?? (typeof body === "string" ? "application/yaml" : "application/json")
    const answer = await client.send({
      method,
      path,
      headers: { authorization: `Bearer ${server.token}`, accept, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) }),
    })
    const text = answer.body.toString()
    const first = path.includes("watch=") ? (text.split("\n")[0] ?? "") : text
    return { status: answer.status, headers: answer.headers, body: JSON.parse(first) }
  }
  await send("POST", "/api/v1/namespaces", { metadata: { name: ownNamespace } })
  const stop = async (): Promise<void> => {
    client.close()
    await server.stop()
  }
  return { send, stop }
}

/** The value at a path of field names; undefined where there is none. */
export function valueAt(value: JsonValue | undefined, ...names: readonly string[]): JsonValue | undefined {
  return names.reduce((at, name) => (isObject(at) ? at[name] : undefined), value)
}

async function generate(folder: string, schemas: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(schemas)) {
    const file = join(folder, "schemas", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const errors: string[] = []
  const context = { cwd: folder, print: () => {}, printError: (line: string) => void errors.push(line), now: () => 0 }
  const code = await runGenerator(["--schemas", "schemas", "--out", "generated"], context)
  if (code !== 0) throw new Error(errors.join("\n"))
}
