/**
 * The signers of the cluster and the requests that each accepts, as documented for kube-controller-manager 1.30 for the
 * names below `kubernetes.io`.
 */
import { privilegedGroup } from "../../base/user.ts"
import type { CertificateSigningRequestSpec } from "../../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"

/** Part of `signerName` after the domain. */
export const signerNames = ["kubelet-serving", "kube-apiserver-client-kubelet", "kube-apiserver-client", "legacy-unknown"] as const
export type SignerName = (typeof signerNames)[number]

/** The certificate of an authority and its key, PEM texts. */
export interface SigningPair {
  readonly certificate: string
  readonly key: string
}

/** Keys of the signers, and the life of certificates. A signer without a pair does not sign. */
export interface Signing {
  readonly pairs: Readonly<Partial<Record<SignerName, SigningPair>>>
  /** The longest life of a certificate, also used if the request sets none. */
  readonly durationMs: number
}

export type Usage = CertificateSigningRequestSpec["usages"][number]

/** Alternative names that are copied from a request into its certificate. */
export interface OtherName {
  readonly type: "dns" | "email" | "ip" | "url"
  readonly value: string
}

/** The parts of a request that signers check. */
export interface AskedCertificate {
  readonly organizations: readonly string[]
  readonly commonNames: readonly string[]
  readonly otherNames: readonly OtherName[]
  readonly usages: readonly Usage[]
}

/** Returns why a signer refuses the request; undefined when it signs. Called for approved requests. */
export function refusalOf(signer: SignerName, asked: AskedCertificate): string | undefined {
  switch (signer) {
    case "kubelet-serving":
      return servingRefusal(asked) ?? nodeRefusal(asked, "server auth")
    case "kube-apiserver-client-kubelet":
      return clientRefusal(asked) ?? nodeRefusal(asked, "client auth")
    case "kube-apiserver-client":
      return privilegedRefusal(asked) ?? clientUsages(asked.usages)
    case "legacy-unknown":
      return privilegedRefusal(asked)
  }
}

function servingRefusal({ otherNames }: AskedCertificate): string | undefined {
  const types = new Set(otherNames.map(({ type }) => type))
  if (!types.has("dns") && !types.has("ip")) return "DNS or IP subjectAltName is required"
  if (types.has("email")) return "Email subjectAltNames are not allowed"
  return types.has("url") ? "URI subjectAltNames are not allowed" : undefined
}

const words = { dns: "DNS", email: "Email", ip: "IP", url: "URI" } as const

function clientRefusal({ otherNames: [first] }: AskedCertificate): string | undefined {
  return first === undefined ? undefined : `${words[first.type]} subjectAltNames are not allowed`
}

const nodePrefix = "system:node:"

/** Checks every common name: programs differ in which of several they read. */
function nodeRefusal({ organizations, commonNames, usages }: AskedCertificate, purpose: Usage): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== "system:nodes") return "subject organization is not system:nodes"
  if (commonNames.length === 0 || !commonNames.every((name) => name.startsWith(nodePrefix)))
    return `subject common name does not begin with ${nodePrefix}`
  const rest = new Set(usages)
  const complete = rest.delete("digital signature") && rest.delete(purpose)
  // Only RSA keys encipher other keys.
  rest.delete("key encipherment")
  return complete && rest.size === 0 ? undefined : `usages did not match [digital signature, key encipherment, ${purpose}]`
}

/** Admission refuses the group as well, but not in requests that other programs have stored. */
function privilegedRefusal({ organizations }: AskedCertificate): string | undefined {
  return organizations.includes(privilegedGroup) ? `subject organization ${privilegedGroup} is not allowed` : undefined
}

const clientUsage: readonly Usage[] = ["digital signature", "key encipherment", "client auth"]

function clientUsages(usages: readonly Usage[]): string | undefined {
  const other = usages.find((usage) => !clientUsage.includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth"
}
