/** The options of `startServer` of the library, and their check. Types help only programs that are compiled. */
import type { AdmissionPlugin } from "../admission/plugin.ts"
import type { JsonObject } from "../base/json.ts"
import type { Filter } from "../http/env.ts"
import { OptionError } from "../options/command-line.ts"
import { defaultOptions } from "../options/load.ts"
import { type PassedOptions, passedOptions } from "../options/passed-values.ts"
import type { Options } from "../options/table.ts"
import type { ApiModule } from "./api-module.ts"
import { StartError } from "../base/start-error.ts"

/**
 * Options of the command line by their names, as in `{ "event-ttl": 60_000 }`, and options that only a program has.
 * Durations are milliseconds, lists are arrays. Environment variables and configuration files are not read.
 */
export interface LibraryOptions<Apis extends ApiList = ApiList> extends Omit<PassedOptions, "api"> {
  /**
   * Own kinds: folders of generated code, or the imported `index.ts` of such a folder, which gives `server.api` the
   * types of its kinds.
   */
  readonly api?: Apis
  /**
   * Custom resource definitions, as objects or as paths of files and folders. `startServer` resolves when their kinds
   * are served, and rejects if one is refused.
   */
  readonly crds?: readonly (string | object)[]
  /** The port on 127.0.0.1, which is also `secure-port`. Default 0: any free port. */
  readonly port?: number
  /**
   * Whether the server keeps the process alive until `stop`. Default: true with `port`, `secure-port`, `data-dir` or
   * `store-servers`, since the server may then serve other programs; else false, so that a test that forgets `stop`
   * ends. With false, a pending operation of `server.api` and a pending step of a watch still keep the process alive.
   */
  readonly keepAlive?: boolean
  /**
   * Hono middleware of the program. It runs after authorization and before the routes, so `c.env.request` has the user
   * and the attributes of the request. It may throw an ApiError, return a Response, or write to `c.env.outgoing` and
   * return `RESPONSE_ALREADY_SENT`.
   *
   * When `next()` has resolved, the request is answered or a watch has begun. Callbacks given to `c.env.request.onEnd`
   * run when a watch has ended, too. Set header fields of the server's answers on `c.env.outgoing`, before `next()`:
   * fields of `c.res` are not sent with them, because they all share one Response.
   */
  readonly middleware?: readonly Filter[]
  /**
   * Admission plugins of the program. They run after the built-in ones, in this order, for every write and every
   * connection, the server's own included: `mutate` before the kind's validation, `validate` after it. They run once
   * per attempt: a write that conflicts with another one passes them again. A plugin refuses by throwing an ApiError.
   * Any other error is logged and answered with 500. A plugin that outlasts the deadline of its request is abandoned,
   * and the request is answered with 504.
   */
  readonly admission?: readonly AdmissionPlugin[]
}

/** Own kinds, as `LibraryOptions.api` takes them. */
export type ApiList = readonly (string | ApiModule)[]

/** The parts of a program's options that a start needs. */
export interface LibraryStart {
  readonly options: Options
  readonly modules: readonly ApiModule[]
  readonly definitions: readonly JsonObject[]
  readonly port: number
  readonly keepAlive: boolean
  /** The store is in memory, and nothing is written to disk. */
  readonly transient: boolean
  readonly middleware: readonly Filter[]
  readonly admission: readonly AdmissionPlugin[]
}

interface OwnOption {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

/** The options that only a program has. `api` also exists on the command line, where it takes folders only. */
const ownOptions: { readonly [Name in Exclude<keyof LibraryOptions, keyof PassedOptions> | "api"]-?: OwnOption } = {
  api: {
    expected: "a list of folders of generated code, or of their imported index.ts",
    accepts: isListOf((one) => typeof one === "string" || isModule(one)),
  },
  crds: {
    expected: "a list of definitions, which are objects, or paths of files and folders of them",
    accepts: isListOf((one) => typeof one === "string" || (typeof one === "object" && one !== null)),
  },
  port: {
    expected: "a whole number from 0 to 65535",
    accepts: (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65_535,
  },
  keepAlive: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  middleware: { expected: "a list of functions", accepts: isListOf((one) => typeof one === "function") },
  admission: { expected: "a list of plugins, which are objects", accepts: isListOf((one) => typeof one === "object" && one !== null) },
}

/** Called once per server. Throws StartError that names the option, the value and what is expected. */
export function libraryStart(given: LibraryOptions): LibraryStart {
  const { api = [], crds = [], port, keepAlive, middleware = [], admission = [], ...rest } = checked(given)
  const list: ApiList = api
  const options = optionsOf(rest)
  const onDisk = rest["data-dir"] !== undefined
  const { "secure-port": securePort, "store-servers": servers = [] } = rest
  if (port !== undefined && securePort !== undefined)
    throw new StartError("startServer: port and secure-port are one option; give one of them")
  if (!onDisk && options.store === "lmdb" && servers.length === 0)
    throw new StartError('startServer: store: "lmdb" needs a folder: "data-dir"')
  return {
    options: {
      ...options,
      api: list.filter((one) => typeof one === "string"),
      crd: [...options.crd, ...crds.filter((one) => typeof one === "string")],
    },
    definitions: crds.flatMap((one) => (typeof one === "string" ? [] : [jsonOf(one)])),
    modules: list.filter((one) => typeof one !== "string"),
    port: port ?? securePort ?? 0,
    keepAlive: keepAlive ?? (onDisk || servers.length > 0 || (port ?? securePort ?? 0) !== 0),
    transient: !onDisk,
    middleware,
    admission,
  }
}

/** Checks the options that only a program has. */
function checked(given: LibraryOptions): LibraryOptions {
  const values = new Map<string, unknown>(Object.entries(given))
  for (const [name, { expected, accepts }] of Object.entries(ownOptions)) {
    const value = values.get(name)
    if (value !== undefined && !accepts(value)) throw new StartError(`startServer: ${name}: expected ${expected}`)
  }
  return given
}

/** Checks the options of the table. In memory unless there is a folder. */
function optionsOf(given: PassedOptions): Options {
  const store = given["data-dir"] === undefined ? "memory" : "lmdb"
  const defaults: Options = { ...defaultOptions(), "bind-address": "127.0.0.1", store }
  try {
    return passedOptions(given, { defaults, others: Object.keys(ownOptions) })
  } catch (error) {
    throw error instanceof OptionError ? new StartError(error.message) : error
  }
}

function isListOf(isItem: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isItem)
}

/** A definition is JSON; other contents of a program's object are left out. */
function jsonOf(definition: object): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(definition))
  return isJsonObject(value) ? value : {}
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isModule(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kinds" in value && "api" in value && typeof value.api === "function"
}
