/**
 * `orch-apiserver start`, the default command, and `serve`: run a server until a signal stops it. They differ in the
 * defaults of some options.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Logger } from "pino"
import { programText } from "../base/program-text.ts"
import { within } from "../base/within.ts"
import { tuneEngine } from "../launch/engine.ts"
import { createLog } from "../launch/logging.ts"
import { systemClock } from "../base/clock.ts"
import { adminFiles, allowsEverything, hasAdminCertificate, tokenFile } from "../launch/administrator.ts"
import type { Launched } from "../launch/launch.ts"
import { endOnCrash } from "../launch/crash-log.ts"
import { isLoopback } from "../launch/server-names.ts"
import { warnOfOlderFolder } from "../launch/older-folder.ts"
import { beginEmbeddedStore } from "../launch/open-store.ts"
import { optionsHelp } from "../options/help.ts"
import type { LoadedOptions } from "../options/load.ts"
import { optionNames, type Options } from "../options/table.ts"
import { OptionError } from "../options/command-line.ts"
import { writePrivateFile } from "../launch/private-file.ts"
import { systemRandom } from "../base/random.ts"
import { packageVersion } from "../package-root.ts"
import { StartError } from "../base/start-error.ts"
import { reuseSlabsEarly } from "../storage/watch-cache/options.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { localDefaults, localOptions } from "./local-options.ts"
import { followNpm } from "./npm-parent.ts"
import { EndSignals } from "./signals.ts"

const usage = (command: "serve" | "start"): string => `${programText(command, "[options]")}
  Serves the API until SIGTERM or SIGINT; a second signal waits for no client. ${programText("help")} lists the other commands.
  ${command === "start" ? `${localDefaults}\n  ` : ""}Every option is also an environment variable (--secure-port: ORCH_SECURE_PORT) and a key of the --config file (securePort).`

/**
 * Tests that start the program set this variable, to any value: see `reuseSlabsEarly`. It slows writes, so it is no
 * option.
 */
const reuseSlabsVariable = "ORCH_TEST_REUSE_SLABS"

/** Resolves with the exit code once the server has stopped. */
export function serve(args: readonly string[], context: CommandContext): Promise<number> {
  return runServer("serve", args, context)
}

/** The same with the defaults of a server on one's own machine. `npm start` runs it. */
export function start(args: readonly string[], context: CommandContext): Promise<number> {
  return runServer("start", args, context)
}

async function runServer(command: "serve" | "start", args: readonly string[], context: CommandContext): Promise<number> {
  if (args.includes("--version")) {
    context.print(`orch-apiserver ${packageVersion()}`)
    return 0
  }
  refuseOptionsOfNpm(context.env)
  const loaded = optionsOf(args, context)
  const { positionals, help } = loaded
  const options = command === "start" ? localOptions(loaded) : loaded.options
  if (help) {
    context.print(`${usage(command)}\n\n${optionsHelp()}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; options begin with --`)
  if (context.env[reuseSlabsVariable] !== undefined) reuseSlabsEarly()
  tuneEngine(context.nodeArguments ?? [])
  const log = createLog({ format: options["logging-format"], verbosity: options.v })
  endOnCrash(log)
  for (const text of loaded.misspelt) log.warn(text)
  warnOfAnonymous({ ...loaded, options }, (text) => log.warn(text))
  warnOfOpenServer(options, (text) => log.warn(text))
  warnOfOlderFolder({ ...loaded, options }, (text) => log.warn(text))
  const signals = new EndSignals({ clock: systemClock, log })
  followNpm({ clock: systemClock, env: context.env, onEnd: () => signals.parentEnded() })
  const kubeconfig = options["write-kubeconfig"] || join(options["data-dir"], "admin.kubeconfig")
  const announce = (text: string) => writeKubeconfig(kubeconfig, text, log)
  const server = { options, clock: systemClock, random: systemRandom, log, announce }
  // The thread of the embedded store starts while the code of the server is loaded.
  const begun = options["store-servers"].length > 0 ? undefined : await beginEmbeddedStore(server)
  const [{ launch }, { whenReady }] = await Promise.all([import("../launch/launch.ts"), import("../launch/when-ready.ts")])
  const launched = await launch({ ...server, ...begun })
  signals.started()
  const store = options["store-servers"].length > 0 ? options["store-servers"].join(",") : options.store
  const isReady = await Promise.race([
    whenReady(launched.server.parts.health.readyz, { log, clock: systemClock }),
    signals.first.then(() => false),
  ])
  if (isReady) {
    log.info({ url: launched.url, store, vendor: options.vendor }, "ready")
    if (options["logging-format"] === "text") for (const line of whatNext(options, launched, kubeconfig)) context.print(line)
  }
  log.info({ signal: await signals.first }, "stopping; a second signal ends it without waiting for clients")
  await stop(launched, options["shutdown-delay-duration"], signals)
  log.info("stopped")
  return signals.over()
}

/**
 * npm takes the option of `npm start --vendor=kubernetes` for its own and sets a variable. Throws OptionError with the
 * intended command.
 */
export function refuseOptionsOfNpm(env: CommandContext["env"]): void {
  const script = env["npm_lifecycle_event"]
  if (script === undefined) return
  const taken = optionNames.find((name) => env[`npm_config_${name.replaceAll("-", "_")}`] !== undefined)
  if (taken === undefined) return
  const value = env[`npm_config_${taken.replaceAll("-", "_")}`] ?? ""
  const command = script === "start" ? "npm start" : `npm run ${script}`
  throw new OptionError(
    `npm took --${taken} for an option of its own; two dashes end those: ${command} -- --${taken}${value === "true" ? "" : `=${value}`}`,
  )
}

/** Called once, before the server starts. */
export function warnOfAnonymous({ options, given }: LoadedOptions, warn: (text: string) => void): void {
  if (!given.has("anonymous-auth") || !options["anonymous-auth"] || !allowsEverything(options)) return
  warn("--anonymous-auth stays off: with --authorization-mode=AlwaysAllow anonymous clients would have all rights")
}

/** Warns at every start that a client with any token has all rights. */
export function warnOfOpenServer(options: Options, warn: (text: string) => void): void {
  if (!allowsEverything(options) || isLoopback(options["bind-address"])) return
  warn(
    `--bind-address=${options["bind-address"]} is open to other machines, and with --authorization-mode=AlwaysAllow every token is an administrator's, those of --token-auth-file too`,
  )
}

/** `--write-kubeconfig`. Logs a change of the sort of credential in the file. Throws StartError. */
export function writeKubeconfig(path: string, text: string, log: Pick<Logger, "info">): void {
  const before = credentialIn(textOf(path))
  const now = credentialIn(text)
  try {
    writePrivateFile(path, text)
  } catch (error) {
    throw new StartError(`--write-kubeconfig: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (before !== undefined && before !== now) log.info({ file: path }, `the kubeconfig has ${now} now, and no longer ${before}`)
}

/** Empty when there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

function credentialIn(kubeconfig: string): string | undefined {
  if (/^ *client-key-data:/m.test(kubeconfig)) return "a client certificate"
  return /^ *token:/m.test(kubeconfig) ? "a token" : undefined
}

/** The lines printed when the server is ready: its URL, and a command to try. */
export function whatNext(options: Options, { url }: Launched, kubeconfig: string): string[] {
  const curl = `curl --cacert ${join(options["cert-dir"] || join(options["data-dir"], "pki"), "ca.crt")} ${credentialOfCurl(options)}`
  const ownCertificate = options["tls-cert-file"] !== ""
  return [
    "",
    `  Serving on ${url}`,
    "",
    ...(options.vendor === "kubernetes" ? [`  kubectl --kubeconfig ${kubeconfig} get namespaces`] : []),
    `  ${ownCertificate ? curl.replace(/--cacert \S+/, `--cacert ${options["tls-cert-file"]}`) : curl} ${url}/api/v1/namespaces`,
    ...(options.vendor === "kubernetes"
      ? []
      : ["", "  kubectl, client-go and the like use other names: start with --vendor=kubernetes for them"]),
    "",
  ]
}

function credentialOfCurl(options: Options): string {
  const { certificate, key } = adminFiles(options["data-dir"])
  if (hasAdminCertificate(options)) return `--cert ${certificate} --key ${key}`
  return `-H "Authorization: Bearer $(cat ${join(options["data-dir"], tokenFile)})"`
}

/**
 * Specification section 3.2: `/readyz` fails at once and everything else is served for the delay; then watches end and
 * requests in flight finish.
 */
async function stop({ server }: Launched, delayMs: number, { stopOptions }: EndSignals): Promise<void> {
  server.beginShutdown()
  await within(delayMs, never, systemClock, stopOptions.hurry)
  await server.stop(stopOptions)
}

const never = new Promise<never>(() => {})
