/**
 * Trust settings of servers, as stored in their ConfigMap: PEM, and lists of names as JSON. Keys are the reference's.
 */
import { X509Certificate } from "node:crypto"
import type { ClientTrust } from "../base/client-trust.ts"
import { pemBlocks } from "../encoding/pem.ts"

type Data = Readonly<Record<string, string>>

/** The lists of names by their keys. */
const lists = {
  allowedNames: "requestheader-allowed-names",
  usernameHeaders: "requestheader-username-headers",
  groupHeaders: "requestheader-group-headers",
  extraPrefixes: "requestheader-extra-headers-prefix",
} as const satisfies Record<keyof ClientTrust["proxyHeaders"], string>

/** Reads data that users may have written: unreadable data counts as absent. Called with any text. */
export function trustOf(data: Data): ClientTrust {
  return {
    clients: data["client-ca-file"] ?? "",
    proxies: data["requestheader-client-ca-file"] ?? "",
    proxyHeaders: {
      allowedNames: namesIn(data[lists.allowedNames]),
      usernameHeaders: namesIn(data[lists.usernameHeaders]),
      groupHeaders: namesIn(data[lists.groupHeaders]),
      extraPrefixes: namesIn(data[lists.extraPrefixes]),
    },
  }
}

/** The entries of the ConfigMap. Without proxies there are no header entries. */
export function trustData({ clients, proxies, proxyHeaders }: ClientTrust): Record<string, string> {
  return {
    ...(clients !== "" && { "client-ca-file": clients }),
    ...(proxies !== "" && {
      "requestheader-client-ca-file": proxies,
      [lists.allowedNames]: JSON.stringify(proxyHeaders.allowedNames),
      [lists.usernameHeaders]: JSON.stringify(proxyHeaders.usernameHeaders),
      [lists.groupHeaders]: JSON.stringify(proxyHeaders.groupHeaders),
      [lists.extraPrefixes]: JSON.stringify(proxyHeaders.extraPrefixes),
    }),
  }
}

/** Combines two trust settings, the first one's entries first; drops expired certificates. */
export function combinedTrust(first: ClientTrust, second: ClientTrust, nowMs: number): ClientTrust {
  const names = (of: keyof ClientTrust["proxyHeaders"]): readonly string[] => [
    ...new Set([...first.proxyHeaders[of], ...second.proxyHeaders[of]]),
  ]
  return {
    clients: valid(first.clients + second.clients, nowMs),
    proxies: valid(first.proxies + second.proxies, nowMs),
    proxyHeaders: {
      allowedNames: names("allowedNames"),
      usernameHeaders: names("usernameHeaders"),
      groupHeaders: names("groupHeaders"),
      extraPrefixes: names("extraPrefixes"),
    },
  }
}

function valid(pem: string, nowMs: number): string {
  const certificates = pemBlocks(pem).flatMap(({ label, bytes }) => (label === "CERTIFICATE" ? certificateOf(bytes) : []))
  const texts = certificates.filter(({ validTo }) => !(Date.parse(validTo) < nowMs)).map(String)
  return [...new Set(texts)].join("")
}

function certificateOf(bytes: Buffer): X509Certificate[] {
  try {
    return [new X509Certificate(bytes)]
  } catch {
    return []
  }
}

function namesIn(text = "[]"): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
  } catch {
    return []
  }
}
