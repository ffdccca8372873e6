/**
 * The administrator's kubeconfig, from which kubectl and client libraries get the server's address, its authority and a
 * credential.
 */
import { isIP } from "node:net"
import type { JsonObject } from "../base/json.ts"
import { writeYaml } from "../wire/yaml-writer.ts"

export interface Access {
  readonly url: string
  /** PEM text of the authority that clients trust. */
  readonly authority: string
  readonly token: string
}

/** Called at start and by tests. The text contains a credential. */
export function kubeconfigText({ url, authority, token }: Access): string {
  const config: JsonObject = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "orch", cluster: { server: url, "certificate-authority-data": Buffer.from(authority).toString("base64") } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "orch", context: { cluster: "orch", user: "admin" } }],
    "current-context": "orch",
  }
  return writeYaml(config)
}

/** `https://[::1]:6443`. */
export function serverUrl(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
