/** `orch-apiserver dev --schemas DIR`: serves the kinds of a folder of schemas, and restarts after each change. */
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Logger } from "pino"
import { programText } from "../base/program-text.ts"
import { systemClock } from "../base/clock.ts"
import { systemRandom } from "../base/random.ts"
import { startDevServer } from "../dev/dev-server.ts"
import { Gate } from "../dev/gate.ts"
import { listen } from "../http/listen.ts"
import { endOnCrash } from "../launch/crash-log.ts"
import { tuneEngine } from "../launch/engine.ts"
import { launch, loadApiFolders, openStore } from "../launch/launch.ts"
import { createLog } from "../launch/logging.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { Options } from "../options/table.ts"
import type { Store } from "../storage/store.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags } from "./flags.ts"
import { localDefaults, localOptions } from "./local-options.ts"
import { warnOfOlderFolder } from "../launch/older-folder.ts"
import { refuseOptionsOfNpm, warnOfAnonymous, warnOfOpenServer, whatNext, writeKubeconfig } from "./serve.ts"
import { EndSignals } from "./signals.ts"

const usage = `${programText("dev", "--schemas DIR [--out DIR] [options of serve]")}
  Generates and serves the kinds of a folder of schemas, and again after each change of the schemas, of the TypeScript
  files that they name, and of what these import. Objects stay, also with --store=memory. Watches end at each change,
  and clients begin them again. What has a fault is reported, and what was served before is still served.
  --schemas DIR   your schema files
  --out DIR       where generated code goes (default: generated, beside the schemas)
  ${localDefaults}`

/** Resolves with the exit code once a signal has stopped the server. */
export async function dev(args: readonly string[], context: CommandContext): Promise<number> {
  refuseOptionsOfNpm(context.env)
  const { values, rest } = takeFlags(args, ["schemas", "out"])
  const loaded = optionsOf(rest, context)
  if (loaded.help) {
    context.print(`${usage}\n\n${optionsHelp()}`)
    return 0
  }
  if (loaded.positionals.length > 0)
    throw new OptionError(`unexpected argument ${JSON.stringify(loaded.positionals[0])}; options begin with --`)
  if (values.schemas === undefined) throw new OptionError(`a folder is needed: ${usage.split("\n")[0]}`)
  const schemas = resolve(context.cwd, values.schemas)
  const out = values.out === undefined ? join(dirname(schemas), "generated") : resolve(context.cwd, values.out)
  const options = localOptions(loaded)
  tuneEngine(context.nodeArguments ?? [])
  const log = createLog({ format: options["logging-format"], verbosity: options.v })
  endOnCrash(log)
  for (const text of loaded.misspelt) log.warn(text)
  warnOfAnonymous({ ...loaded, options }, (text) => log.warn(text))
  warnOfOpenServer(options, (text) => log.warn(text))
  warnOfOlderFolder({ ...loaded, options }, (text) => log.warn(text))
  return serveAgain({ schemas, out, options, log, context })
}

interface Place {
  readonly schemas: string
  readonly out: string
  readonly options: Options
  readonly log: Logger
  readonly context: CommandContext
}

async function serveAgain(place: Place): Promise<number> {
  const { schemas, out, options, log, context } = place
  const signals = new EndSignals({ clock: systemClock, log })
  const store = await sharedStore(place)
  const kubeconfig = options["write-kubeconfig"] || join(options["data-dir"], "admin.kubeconfig")
  try {
    const server = await startDevServer({
      trees: [schemas, join(dirname(out), "behaviours")],
      out,
      generate: () => generate(place),
      load: () => loadApiFolders(existsSync(join(out, "index.ts")) ? [...options.api, out] : options.api),
      launch: (how) =>
        launch({
          ...how,
          options,
          clock: systemClock,
          random: systemRandom,
          log,
          ...(store !== undefined && { store }),
          announce: (text) => writeKubeconfig(kubeconfig, text, log),
        }),
      gate: new Gate(listen),
      clock: systemClock,
      print: context.print,
      printError: context.printError,
    })
    signals.started()
    log.info({ url: server.launched.url, store: options.store, vendor: options.vendor, schemas }, "ready")
    if (options["logging-format"] === "text") for (const line of whatNext(options, server.launched, kubeconfig)) context.print(line)
    log.info({ signal: await signals.first }, "stopping; a second signal ends it without waiting for clients")
    await server.stop(signals.stopOptions)
  } finally {
    await store?.close()
  }
  log.info("stopped")
  return signals.over()
}

/** Undefined for etcd: its objects stay there, and the kinds decide which of its servers is used. */
async function sharedStore({ options, log }: Place): Promise<Store | undefined> {
  if (options["store-servers"].length > 0) return undefined
  return openStore({ options, clock: systemClock, random: systemRandom, log }, [])
}

/** Prints the written files and all faults; nothing if all files were up to date. */
async function generate({ schemas, out, context }: Place): Promise<boolean> {
  const { runGenerator } = await import("../../codegen/cli.ts")
  const code = await runGenerator(["--schemas", schemas, "--out", out], {
    cwd: context.cwd,
    print: (line) => void (/: 0 files written, 0 removed,/.test(line) || context.print(line)),
    printError: context.printError,
    now: context.now,
  })
  return code === 0
}
