/**
 * `orch-apiserver openapi --out DIR`: writes the OpenAPI documents that a server with these options would serve, for
 * generators of clients and documentation.
 */
import { writeFileSync } from "node:fs"
import { get } from "node:https"
import { dirname, join } from "node:path"
import { plainDocument } from "../../model/openapi/plain.ts"
import { makeFolder } from "../base/make-folder.ts"
import { programText } from "../base/program-text.ts"
import { systemClock } from "../base/clock.ts"
import { launch, type Launched } from "../launch/launch.ts"
import { silentLog } from "../launch/logging.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import { isObject, type JsonValue } from "../base/json.ts"
import { systemRandom } from "../base/random.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags, takeSwitch } from "./flags.ts"

const usage = `${programText("openapi", "--out DIR [--plain]")}
  Writes DIR/v2.json and DIR/v3/<path>.json. With --plain references have no siblings, there are no
  extensions, and bodies are JSON: for generators that stumble over the documents as they are served.`

/** Starts a server in memory and requests the documents from it, so the files equal a client's downloads. */
export async function openapi(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: plain, rest: others } = takeSwitch(args, "plain")
  const { values, rest } = takeFlags(others, ["out"])
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["vendor", "api", "config"])}`)
    return 0
  }
  const { out } = values
  if (out === undefined || positionals.length > 0) throw new OptionError(`a folder is needed: ${usage.split("\n")[0]}`)
  const launched = await launch({
    options: { ...options, store: "memory", "bind-address": "127.0.0.1", "advertise-address": "" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog(),
    transient: true,
    port: 0,
  })
  try {
    const paths = await documentPaths(launched)
    for (const [path, file] of paths) {
      const target = join(out, file)
      makeFolder(dirname(target), 0o777)
      const document: JsonValue = JSON.parse(await fetchText(launched, path))
      const written = plain && isObject(document) ? plainDocument(document) : document
      writeFileSync(target, `${JSON.stringify(written, undefined, 2)}\n`)
    }
    context.print(`${paths.length} documents in ${out}`)
    return 0
  } finally {
    await launched.server.stop()
  }
}

/** Pairs of a path on the server and a file below the folder. */
async function documentPaths(launched: Launched): Promise<readonly (readonly [string, string])[]> {
  const index: { paths: Record<string, { serverRelativeURL: string }> } = JSON.parse(await fetchText(launched, "/openapi/v3"))
  const third = Object.entries(index.paths).map(([path, { serverRelativeURL }]) => [serverRelativeURL, `v3/${path}.json`] as const)
  return [["/openapi/v2", "v2.json"], ...third]
}

function fetchText({ url, token, authority }: Launched, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(
      url + path,
      { ca: authority, agent: false, headers: { authorization: `Bearer ${token}`, accept: "application/json" } },
      (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString())
          else reject(new Error(`${path} was answered with ${String(response.statusCode)}`))
        })
      },
    )
    request.on("error", reject)
  })
}
