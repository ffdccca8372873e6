/**
 * The administrator's kubeconfig, from which kubectl and client libraries get the server's address, its authority and a
 * credential.
 */
import { isIP } from "node:net"
import type { JsonObject } from "../base/json.ts"
import type { User } from "../base/user.ts"
import { writeYaml } from "../wire/yaml-writer.ts"

export interface Access {
  readonly url: string
  /** PEM text of the authority that clients trust. */
  readonly authority: string
  readonly credential: Credential
  /** The user as which the credential's user acts. */
  readonly actsAs?: User
}

/** A token, or a certificate and its key, PEM. */
export type Credential = { readonly token: string } | { readonly certificate: string; readonly key: string }

/** Called at start and by tests. The text contains a credential. */
export function kubeconfigText({ url, authority, credential, actsAs }: Access): string {
  const config: JsonObject = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "orch", cluster: { server: url, "certificate-authority-data": base64(authority) } }],
    users: [{ name: "admin", user: { ...userOf(credential), ...(actsAs !== undefined && impersonating(actsAs)) } }],
    contexts: [{ name: "orch", context: { cluster: "orch", user: "admin" } }],
    "current-context": "orch",
  }
  return writeYaml(config)
}

function userOf(credential: Credential): JsonObject {
  if ("token" in credential) return { token: credential.token }
  return { "client-certificate-data": base64(credential.certificate), "client-key-data": base64(credential.key) }
}

/** The fields with which client-go sends the headers of impersonation. */
function impersonating({ name, uid, groups, extra }: User): JsonObject {
  return {
    as: name,
    "as-groups": [...groups],
    ...(uid !== undefined && { "as-uid": uid }),
    ...(Object.keys(extra).length > 0 && {
      "as-user-extra": Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}

/** `https://[::1]:6443`. */
export function serverUrl(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
