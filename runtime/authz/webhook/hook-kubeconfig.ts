/** Where a web hook is, from a file in the form of a kubeconfig. */
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { parse } from "yaml"
import { isObject, type JsonValue } from "../../base/json.ts"

/** As `HookPlace`. */
export interface KubeconfigPlace {
  readonly url: string
  /** Base64 of PEM. */
  readonly caBundle?: string
  readonly authorization?: string
}

/** Reads the current context. Throws an Error that says what is wrong in the file, or that it cannot be read. */
export function readHookKubeconfig(path: string): KubeconfigPlace {
  const config: JsonValue = parse(readFileSync(path, "utf8"))
  const context = named(config, "contexts", textOf(config, "current-context"), "context")
  const cluster = named(config, "clusters", textOf(context, "cluster"), "cluster")
  const user = named(config, "users", textOf(context, "user"), "user")
  const url = textOf(cluster, "server")
  if (!url.startsWith("https://")) throw new Error(`${path}: cluster.server must be an https URL`)
  if (isObject(cluster) && cluster["insecure-skip-tls-verify"] === true)
    throw new Error(`${path}: insecure-skip-tls-verify is not supported; certificate-authority names the authority of the web hook`)
  for (const name of ["client-certificate", "client-certificate-data", "exec", "auth-provider"])
    if (isObject(user) && user[name] !== undefined) throw new Error(`${path}: user.${name} is not supported; user.token is`)
  const file = textOf(cluster, "certificate-authority")
  const caBundle =
    textOf(cluster, "certificate-authority-data") || (file === "" ? "" : readFileSync(resolve(dirname(path), file), "base64"))
  const authorization = authorizationOf(user, path)
  return { url, ...(caBundle !== "" && { caBundle }), ...(authorization !== "" && { authorization }) }
}

function authorizationOf(user: JsonValue, path: string): string {
  const file = textOf(user, "tokenFile")
  const token = file === "" ? textOf(user, "token") : readFileSync(resolve(dirname(path), file), "utf8").trim()
  if (token !== "") return `Bearer ${token}`
  const name = textOf(user, "username")
  return name === "" ? "" : `Basic ${Buffer.from(`${name}:${textOf(user, "password")}`).toString("base64")}`
}

function named(config: JsonValue, list: string, name: string, part: string): JsonValue {
  const entries = isObject(config) ? config[list] : undefined
  const found = Array.isArray(entries) ? entries.find((entry) => textOf(entry, "name") === name) : undefined
  if (!isObject(found)) throw new Error(`${list} has no ${JSON.stringify(name)}`)
  return found[part] ?? {}
}

function textOf(value: JsonValue | undefined, name: string): string {
  const text = isObject(value) ? value[name] : undefined
  return typeof text === "string" ? text : ""
}
