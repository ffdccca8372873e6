/** Reads the pairs of `--cluster-signing-cert-file` and its like, with which certificates are signed. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFileText } from "../base/file-text.ts"
import { errorText } from "../base/error-text.ts"
import { signingAlgorithm } from "../controllers/certificates/issue.ts"
import { type Signing, type SigningPair, type SignerName, signerNames } from "../controllers/certificates/signers.ts"
import type { Options } from "../options/table.ts"
import { StartError } from "../base/start-error.ts"

type Part = "" | "kubelet-serving-" | "kubelet-client-" | "kube-apiserver-client-" | "legacy-unknown-"

/** The part of option names for each signer. */
const parts: Readonly<Record<SignerName, Part>> = {
  "kubelet-serving": "kubelet-serving-",
  "kube-apiserver-client-kubelet": "kubelet-client-",
  "kube-apiserver-client": "kube-apiserver-client-",
  "legacy-unknown": "legacy-unknown-",
}

/** Called at start. Undefined when no file is named. Throws StartError for pairs that cannot sign. */
export function signingOf(options: Options): Signing | undefined {
  const all = pairOf(options, "")
  const pairs: Partial<Record<SignerName, SigningPair>> = {}
  for (const signer of signerNames) {
    const own = pairOf(options, parts[signer])
    if (own !== undefined && all !== undefined)
      throw new StartError(
        `--cluster-signing-cert-file is for all signers, and --cluster-signing-${parts[signer]}cert-file for one: give a pair for all, or one for each`,
      )
    const pair = own ?? all
    if (pair !== undefined) pairs[signer] = pair
  }
  return Object.keys(pairs).length === 0 ? undefined : { pairs, durationMs: options["cluster-signing-duration"] }
}

function pairOf(options: Options, part: Part): SigningPair | undefined {
  const names = { certificate: `cluster-signing-${part}cert-file`, key: `cluster-signing-${part}key-file` } as const
  const files = { certificate: options[names.certificate], key: options[names.key] }
  if (files.certificate === "" && files.key === "") return undefined
  if (files.certificate === "" || files.key === "") throw new StartError(`--${names.certificate} and --${names.key} go together`)
  const pair = { certificate: read(names.certificate, files.certificate), key: read(names.key, files.key) }
  const fault = faultOf(pair, names)
  if (fault !== undefined) throw new StartError(fault)
  return pair
}

function read(name: string, path: string): string {
  try {
    return readFileText(path)
  } catch (error) {
    throw new StartError(`--${name}: ${errorText(error)}`)
  }
}

function faultOf(pair: SigningPair, names: { readonly certificate: string; readonly key: string }): string | undefined {
  try {
    const certificate = new X509Certificate(pair.certificate)
    const key = createPrivateKey(pair.key)
    if (!certificate.ca) return `--${names.certificate} is not the certificate of an authority: it needs the basic constraint CA:TRUE`
    if (!certificate.checkPrivateKey(key)) return `--${names.key} is not the key of --${names.certificate}`
    if (signingAlgorithm(key) === undefined) return `--${names.key} must be RSA, P-256, P-384, P-521 or Ed25519`
    return undefined
  } catch (error) {
    return `--${names.certificate} and --${names.key} must be PEM files, and the key not encrypted: ${errorText(error)}`
  }
}
