/**
 * The administrator's credential, which a start makes for the kubeconfig: a client certificate, or a token while every
 * credential has all rights anyway.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { makeFolder } from "../base/make-folder.ts"
import type { User } from "../base/user.ts"
import type { Options } from "../options/table.ts"
import { CertificateError, createAuthority, isIssued, issuePair, type Pair, storedPair } from "./certificates.ts"
import type { Credential } from "./kubeconfig.ts"
import { checkPrivate } from "./private-file.ts"

/** The user of the credential. */
export const admin: User = { name: "admin", groups: ["system:masters"], extra: {} }

/** The file of the token, in the data folder. */
export const tokenFile = "admin.token"

/** The files of `adminCertificate`, for commands that are shown. */
export function adminFiles(dataDir: string): { readonly certificate: string; readonly key: string } {
  return { certificate: join(dataDir, "pki/admin.crt"), key: join(dataDir, "pki/admin.key") }
}

type ModeOptions = Pick<Options, "authorization-config" | "authorization-mode">

/** Whether every credential has all rights: by `--authorization-mode`, which a configuration may replace. */
export function allowsEverything(options: ModeOptions): boolean {
  return options["authorization-config"] === "" && options["authorization-mode"].includes("AlwaysAllow")
}

/** Whether the kubeconfig of the program has a certificate. */
export function hasAdminCertificate(options: ModeOptions): boolean {
  return !allowsEverything(options)
}

/** The administrator's credentials. */
export interface Administrator {
  /** Empty: there is none. */
  readonly token: string
  /** PEM of the authority of client certificates in the data folder. Undefined: there is none. */
  readonly authority: string | undefined
  /** The credential in the kubeconfig. */
  readonly credential: Credential
}

export interface AdministratorParts {
  readonly options: ModeOptions & Pick<Options, "data-dir">
  readonly clock: Clock
  readonly log: Pick<Logger, "info">
  /** Nothing is written to the data folder or read from there. */
  readonly transient: boolean
  /** Whatever the mode, the kubeconfig has a token. */
  readonly prefersToken: boolean
  /** Reads the token, or makes it. */
  readonly makeToken: () => string
}

/**
 * Called once per start. Credentials in the data folder stay valid beside the ones that this start makes: scripts and
 * kubeconfigs have them, and one program may serve the folder of another. Throws CertificateError and StartError.
 */
export async function administratorOf(parts: AdministratorParts): Promise<Administrator> {
  const { options, log, transient, prefersToken } = parts
  const dataDir = options["data-dir"]
  const wantsCertificate = !prefersToken && hasAdminCertificate(options)
  const hasToken = !transient && existsSync(join(dataDir, tokenFile))
  const hasAuthority = !transient && existsSync(`${authorityPath(dataDir)}.crt`)
  const note = (file: string, what: string): void => log.info({ file }, `${what}; remove the file to end that`)
  if (wantsCertificate && hasToken) note(join(dataDir, tokenFile), "the token of this file is the administrator's too")
  if (!wantsCertificate && hasAuthority) note(`${authorityPath(dataDir)}.crt`, "certificates of this authority are valid too")
  const token = wantsCertificate && !hasToken ? "" : parts.makeToken()
  if (!wantsCertificate && !hasAuthority) return { token, authority: undefined, credential: { token } }
  const { authority, ...pair } = await adminCertificate(parts)
  return { token, authority, credential: wantsCertificate ? pair : { token } }
}

function authorityPath(dataDir: string): string {
  return join(dataDir, "pki/client-ca")
}

/** The administrator's client certificate, and the certificate of the authority that issued it. */
interface AdminCertificate extends Pair {
  readonly authority: string
}

/**
 * The first start makes an authority and issues a client certificate; later starts read both, and issue a new
 * certificate a month before it expires. Throws CertificateError.
 */
async function adminCertificate({ options, clock }: AdministratorParts): Promise<AdminCertificate> {
  const dir = join(options["data-dir"], "pki")
  try {
    makeFolder(dir)
    const nowMs = clock.nowMs()
    const make = (): Promise<Pair> => createAuthority("orch-apiserver-client-ca", nowMs)
    const authority = await storedPair(authorityPath(options["data-dir"]), clock, make)
    const subject = `CN=${admin.name}, ${admin.groups.map((group) => `O=${group}`).join(", ")}`
    // fabric8 needs an additional library to read keys of elliptic curves.
    const issue = (): Promise<Pair> => issuePair(authority, { subject, usage: "clientAuth", keyType: "rsa" }, nowMs)
    const fits = ({ certificate }: Pair): boolean => isIssued(certificate, authority.certificate)
    const pair = await storedPair(join(dir, "admin"), clock, issue, fits)
    for (const name of ["client-ca.key", "admin.key"]) checkPrivate(join(dir, name))
    return { ...pair, authority: authority.certificate }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CertificateError(`--data-dir: the administrator has no certificate in ${dir}: ${message}`)
  }
}
