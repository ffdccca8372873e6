/** Reads the kubeconfig of a server that this one calls: where it is, whom to trust, and how to show who calls. */
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { cut } from "../base/quote.ts"
import type { HookClient, HookPlace } from "../hooks/place.ts"
import { parseYaml } from "../wire/yaml.ts"
import { StartError } from "./start-error.ts"

/**
 * Called at start. `option`: the option that names the file, for messages. Paths in the file are relative to its
 * folder. Throws StartError. A file with a token is read again before each call, since it may be replaced.
 */
export function readHookConfig(option: string, path: string): HookPlace {
  return new ConfigReader(option, path).place()
}

/** Ways of kubeconfigs to show who calls that this server does not know. */
const unknownWays = ["exec", "auth-provider"]

class ConfigReader {
  constructor(
    private readonly option: string,
    private readonly path: string,
  ) {}

  place(): HookPlace {
    const config = this.document()
    const context = this.named(config, "contexts", config["current-context"], "context")
    const cluster = this.named(config, "clusters", context.cluster, "cluster")
    const user = context.user === undefined || context.user === "" ? {} : this.named(config, "users", context.user, "user")
    const url = this.text(cluster, "server") ?? ""
    if (!URL.canParse(url) || new URL(url).protocol !== "https:")
      throw this.fault(`the server of the cluster is ${JSON.stringify(cut(url))}; expected an address that begins with https://`)
    const authority = this.data(cluster, "certificate-authority")
    const client = this.client(cluster, user)
    return {
      url,
      ...(authority !== undefined && { caBundle: authority.toString("base64") }),
      ...(Object.keys(client).length > 0 && { client }),
    }
  }

  private client(cluster: JsonObject, user: JsonObject): HookClient {
    const unknown = unknownWays.find((way) => user[way] !== undefined)
    if (unknown !== undefined) throw this.fault(`its user has ${unknown}; use a token, a password or a client certificate`)
    const certificate = this.data(user, "client-certificate")
    const key = this.data(user, "client-key")
    if ((certificate === undefined) !== (key === undefined)) throw this.fault("client-certificate and client-key of the user go together")
    const authorization = this.authorization(user)
    const serverName = this.text(cluster, "tls-server-name")
    return {
      ...(authorization !== undefined && { authorization }),
      ...(certificate !== undefined && { certificate: certificate.toString("latin1") }),
      ...(key !== undefined && { key: key.toString("latin1") }),
      ...(serverName !== undefined && { serverName }),
      ...(cluster["insecure-skip-tls-verify"] === true && { insecure: true }),
    }
  }

  private authorization(user: JsonObject): (() => string) | undefined {
    const tokenFile = this.text(user, "tokenFile")
    const token = this.text(user, "token")
    const username = this.text(user, "username")
    if (tokenFile !== undefined) {
      const file = this.resolved(tokenFile)
      this.read(file)
      return () => `Bearer ${readFileSync(file, "utf8").trim()}`
    }
    if (token !== undefined) return () => `Bearer ${token}`
    if (username === undefined) return undefined
    const basic = Buffer.from(`${username}:${this.text(user, "password") ?? ""}`).toString("base64")
    return () => `Basic ${basic}`
  }

  private document(): JsonObject {
    const text = this.read(this.path).toString("utf8")
    let value: JsonValue
    try {
      value = parseYaml(text).value
    } catch (error) {
      throw this.fault(error instanceof Error ? error.message : String(error))
    }
    if (!isObject(value) || value.kind !== "Config") throw this.fault("it is no kubeconfig: expected kind Config")
    return value
  }

  /** The content of the entry with this name: `clusters: [{name, cluster}]`. */
  private named(config: JsonObject, list: string, name: JsonValue | undefined, content: string): JsonObject {
    const entries = config[list]
    const found = Array.isArray(entries) ? entries.find((entry) => isObject(entry) && entry.name === name) : undefined
    const inner = isObject(found) ? found[content] : undefined
    if (typeof name !== "string" || !isObject(inner))
      throw this.fault(`${list} has no ${content} named ${typeof name === "string" ? JSON.stringify(cut(name)) : "by current-context"}`)
    return inner
  }

  /** PEM, from the field with `-data` or from the file that the other names. */
  private data(from: JsonObject, name: string): Buffer | undefined {
    const inline = this.text(from, `${name}-data`)
    if (inline !== undefined) return Buffer.from(inline, "base64")
    const file = this.text(from, name)
    return file === undefined ? undefined : this.read(this.resolved(file))
  }

  private text(from: JsonObject, name: string): string | undefined {
    const value = from[name]
    if (value === undefined || value === null || value === "") return undefined
    if (typeof value !== "string") throw this.fault(`${name} is no text`)
    return value
  }

  private resolved(file: string): string {
    return resolve(dirname(this.path), file)
  }

  private read(file: string): Buffer {
    try {
      return readFileSync(file)
    } catch (error) {
      throw new StartError(`--${this.option}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  private fault(text: string): StartError {
    return new StartError(`--${this.option}: ${this.path}: ${text}`)
  }
}
