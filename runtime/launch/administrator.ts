/**
 * The administrator's credential, which a start makes and the kubeconfig has: a client certificate, or a token while
 * every credential has all rights anyway.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../base/clock.ts"
import { makeFolder } from "../base/make-folder.ts"
import type { User } from "../base/user.ts"
import type { Options } from "../options/table.ts"
import { CertificateError, createAuthority, isIssued, issuePair, type Pair, storedPair } from "./certificates.ts"
import { checkPrivate } from "./private-file.ts"

/** The user of the credential. */
export const admin: User = { name: "admin", groups: ["system:masters"], extra: {} }

/** The file of the token, in the data folder. */
export const tokenFile = "admin.token"

/** A certificate with which the administrator signs in, and that of the authority which has issued it. */
export interface AdminCertificate extends Pair {
  readonly authority: string
}

/** The files of `adminCertificate`, for commands that are shown. */
export function adminFiles(dataDir: string): { readonly certificate: string; readonly key: string } {
  return { certificate: join(dataDir, "pki/admin.crt"), key: join(dataDir, "pki/admin.key") }
}

/** Whether the kubeconfig of the program has a certificate. */
export function hasAdminCertificate(options: Pick<Options, "authorization-mode">): boolean {
  return !options["authorization-mode"].includes("AlwaysAllow")
}

/**
 * Called once per start. The first one makes an authority for client certificates and has it issue one; further ones
 * read them, and issue another one a month before it expires. Throws CertificateError.
 */
export async function adminCertificate({ dataDir, clock }: { dataDir: string; clock: Clock }): Promise<AdminCertificate> {
  const dir = join(dataDir, "pki")
  try {
    makeFolder(dir)
    const nowMs = clock.nowMs()
    const authority = await storedPair(join(dir, "client-ca"), clock, () => createAuthority("orch-apiserver-client-ca", nowMs))
    const subject = `CN=${admin.name}, ${admin.groups.map((group) => `O=${group}`).join(", ")}`
    const make = (): Promise<Pair> => issuePair(authority, { subject, usage: "clientAuth" }, nowMs)
    const fits = ({ certificate }: Pair): boolean => isIssued(certificate, authority.certificate)
    const pair = await storedPair(join(dir, "admin"), clock, make, fits)
    for (const name of ["client-ca.key", "admin.key"]) checkPrivate(join(dir, name))
    return { ...pair, authority: authority.certificate }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CertificateError(`--data-dir: the administrator has no certificate in ${dir}: ${message}`)
  }
}

/** Whether an earlier start, or its user, has left a token: it stays one of the administrator. */
export function hasTokenFile(dataDir: string): boolean {
  return existsSync(join(dataDir, tokenFile))
}
