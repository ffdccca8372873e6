/** Reads the place and the credentials of a web hook from a file in kubeconfig format, as named by options. */
import { dirname, resolve } from "node:path"
import type { Document } from "yaml"
import type { Clock } from "../base/clock.ts"
import { errorText } from "../base/error-text.ts"
import { cut, quoted } from "../base/quote.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import { parseYamlFile, type YamlFile } from "../base/yaml-file.ts"
import { hookFileBytesMax } from "./limits.ts"
import type { HookPlace } from "./place.ts"

export interface HookFile {
  /** Changes when the kubeconfig or a file that it names has changed. */
  readonly place: HookPlace
  stop(): void
}

interface HookFileOptions {
  readonly path: string
  readonly clock: Clock
  /** Called when the kubeconfig or a named file has changed and cannot be used; the previous content stays in force. */
  readonly onFault: (error: unknown) => void
  /** Called when the changed kubeconfig is in force. */
  readonly onChange: () => void
}

/**
 * Reads the cluster and the user of the current context. Follows changes of the file, and of the files that it names
 * for certificates, keys and tokens. Throws an Error that says what is wrong, or what this server does not support.
 */
export function readHookFile({ path, clock, onFault, onChange }: HookFileOptions): HookFile {
  let known: { readonly text: string; readonly kubeconfig: Kubeconfig } | undefined
  const kubeconfigOf = (text = ""): Kubeconfig => {
    if (known?.text !== text) known = { text, kubeconfig: parsedKubeconfig(text, dirname(path)) }
    return known.kubeconfig
  }
  let current: Kubeconfig | undefined
  const files = new WatchedFiles({
    paths: [path],
    bytesMax: hookFileBytesMax,
    named: ([text]) => kubeconfigOf(text).paths,
    read([text, ...texts]): HookPlace {
      const kubeconfig = kubeconfigOf(text)
      const place = kubeconfig.place(texts)
      if (current !== undefined && current !== kubeconfig) onChange()
      current = kubeconfig
      return place
    },
    clock,
    onFault: (error) => onFault(new Error(`${path} or a file that it names has changed and cannot be used: ${errorText(error)}`)),
  })
  return {
    get place() {
      return files.current
    },
    stop: () => files.stop(),
  }
}

interface Kubeconfig {
  /** Files of certificates, keys and tokens. */
  readonly paths: readonly string[]
  /** Called with the texts of these files. Throws an Error that says what is wrong. */
  readonly place: (texts: readonly string[]) => HookPlace
}

function parsedKubeconfig(kubeconfig: string, folder: string): Kubeconfig {
  const { cluster, user } = currentContext(documentOf(kubeconfig))
  const url = serverOf(cluster)
  const paths: string[] = []
  /** The decoded text of `<name>-data`, or the later content of the file `<name>`. */
  const source = (fields: Fields, name: string, data = `${name}-data`): Source => {
    const inline = textOf(fields, data)
    if (inline !== "") return () => Buffer.from(inline, "base64").toString("utf8")
    const file = textOf(fields, name)
    if (file === "") return () => ""
    const index = paths.push(resolve(folder, file)) - 1
    return (texts) => texts[index] ?? ""
  }
  const authorities = source(cluster, "certificate-authority")
  const certificate = source(user, "client-certificate")
  const key = source(user, "client-key")
  const tokenFile = source(user, "tokenFile")
  const authorization = authorizationOf(user)
  const serverName = textOf(cluster, "tls-server-name")
  return {
    paths,
    place(texts) {
      const token = tokenFile(texts).trim()
      const pair = { certificate: certificate(texts), key: key(texts) }
      if ((pair.certificate === "") !== (pair.key === "")) throw new Error("client-certificate and client-key go together")
      return {
        url,
        caBundle: Buffer.from(authorities(texts)).toString("base64"),
        access: {
          ...(token === "" ? authorization : { authorization: `Bearer ${token}` }),
          ...(pair.key !== "" && pair),
          ...(serverName !== "" && { serverName }),
          ...(cluster["insecure-skip-tls-verify"] === true && { isUnverified: true }),
        },
      }
    },
  }
}

/** Throws an Error with the line and column but without the text there, which may be a token. */
function documentOf(text: string): unknown {
  const { document, lines } = parsed(text)
  const [fault] = document.errors
  if (fault === undefined) return valueOf(document)
  const { line, col } = lines.linePos(fault.pos[0])
  throw new Error(`it is no YAML and no JSON: see line ${line}, column ${col} (${fault.code})`)
}

function parsed(text: string): YamlFile {
  try {
    return parseYamlFile(text)
  } catch {
    throw new Error("it is nested too deeply")
  }
}

function valueOf(document: Document.Parsed): unknown {
  try {
    return document.toJS()
  } catch {
    throw new Error("it has an alias without an anchor, or aliases of very many values; put a text that begins with * in quotes")
  }
}

type Source = (texts: readonly string[]) => string
type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (value === undefined || value === null) return ""
  if (typeof value !== "string") throw new Error(`${name} must be a text`)
  return value
}

function currentContext(config: unknown): { readonly cluster: Fields; readonly user: Fields } {
  if (!isFields(config)) throw new Error("it must be a document of kind Config, as kubectl reads it")
  const name = textOf(config, "current-context")
  if (name === "") throw new Error("current-context must name a context")
  const context = named(config, { list: "contexts", field: "context", name })
  const user = textOf(context, "user")
  return {
    cluster: named(config, { list: "clusters", field: "cluster", name: textOf(context, "cluster") }),
    user: user === "" ? {} : named(config, { list: "users", field: "user", name: user }),
  }
}

/** The named entry of a list: `{ name, [field] }`. */
function named(config: Fields, { list, field, name }: { list: string; field: string; name: string }): Fields {
  const entries: readonly unknown[] = Array.isArray(config[list]) ? config[list] : []
  const entry = entries.find((each) => isFields(each) && each["name"] === name)
  if (!isFields(entry)) throw new Error(`${list} has no entry ${quoted(cut(name))}`)
  const value = entry[field] ?? {}
  if (!isFields(value)) throw new Error(`${list}: ${quoted(cut(name))} must have fields`)
  return value
}

function serverOf(cluster: Fields): string {
  const server = textOf(cluster, "server")
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url === undefined || url.username !== "" || url.password !== "")
    throw new Error("server must be an https address without a user and a password; these belong to the user")
  if (url.protocol !== "https:") throw new Error(`server must be an https address, found ${quoted(cut(server))}`)
  if (textOf(cluster, "proxy-url") !== "") throw new Error("proxy-url is not supported: the server is called directly")
  return server
}

function authorizationOf(user: Fields): { readonly authorization?: string } {
  for (const name of ["exec", "auth-provider"])
    if (user[name] !== undefined) throw new Error(`${name} is not supported: give the user a token, a token file or a certificate`)
  const token = textOf(user, "token")
  if (token !== "") return { authorization: `Bearer ${token}` }
  const username = textOf(user, "username")
  if (username === "") return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${textOf(user, "password")}`).toString("base64")}` }
}
