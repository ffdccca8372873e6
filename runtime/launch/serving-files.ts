/** The serving certificates of a server; files that options name are read again when they change. */
import { createSecureContext } from "node:tls"
import type { Logger } from "pino"
import { errorText } from "../base/error-text.ts"
import type { Clock } from "../base/clock.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import { contextOf, type NamedCertificate, type ServingTls, type Tls } from "../http/tls.ts"
import type { Options } from "../options/table.ts"
import { CertificateError, checkPair, type Pair, type ServingPair } from "./certificates.ts"
import type { TlsSettings } from "./tls-settings.ts"

export interface ServingFilesOptions {
  readonly options: Options
  readonly settings: TlsSettings
  /** The self-signed pair; absent with `--tls-cert-file`. */
  readonly own: ServingPair | undefined
  readonly clock: Clock
  readonly log: Pick<Logger, "error" | "info">
}

export interface ServingFiles extends ServingTls {
  /** PEM that clients trust: the authority of the self-signed pair, else the certificate of the start. */
  readonly authority: string
}

/** Called once per server. Throws CertificateError, and leaves nothing open then. */
export function openServingFiles(how: ServingFilesOptions): ServingFiles {
  const { options, own, settings } = how
  const opened: WatchedFiles<Pair>[] = []
  const open = (files: PairFiles): WatchedFiles<Pair> => {
    const watched = watchPair(files, how)
    opened.push(watched)
    return watched
  }
  const stop = (): void => {
    for (const each of opened) each.stop()
  }
  try {
    const main = own ?? open({ ...pathsOf(options), certificateOption: "--tls-cert-file", keyOption: "--tls-private-key-file" })
    const sni = "--tls-sni-cert-key"
    const named = options["tls-sni-cert-key"].map(({ certificate, key, names }) => ({
      pair: open({ certificate, key, certificateOption: sni, keyOption: sni }),
      names,
    }))
    return {
      current: () => ({
        ...settings,
        ...pairOf(main),
        ...(named.length > 0 && { named: named.map(({ pair, names }): NamedCertificate => ({ ...pair.current, names })) }),
      }),
      onChange(listener) {
        for (const each of opened) each.onChange(listener)
      },
      stop,
      authority: own === undefined ? pairOf(main).certificate : own.authority,
    }
  } catch (error) {
    stop()
    throw error
  }
}

function pairOf(from: ServingPair | WatchedFiles<Pair>): Pair {
  const { certificate, key } = from instanceof WatchedFiles ? from.current : from
  return { certificate, key }
}

function pathsOf(options: Options): Pair {
  return { certificate: options["tls-cert-file"], key: options["tls-private-key-file"] }
}

/** Paths, and the options that name them. */
interface PairFiles extends Pair {
  readonly certificateOption: string
  readonly keyOption: string
}

function watchPair(files: PairFiles, { clock, log, settings }: ServingFilesOptions): WatchedFiles<Pair> {
  const certificateName = `${files.certificateOption} ${files.certificate}`
  const keyName = `${files.keyOption} ${files.key}`
  const read = ([certificate = "", key = ""]: readonly string[]): Pair => {
    checkPair({ certificate, key, certificateName, keyName })
    checkWithOpenSsl({ certificate, key, ...settings }, certificateName)
    return { certificate, key }
  }
  try {
    const watched = new WatchedFiles({
      paths: [files.certificate, files.key],
      read,
      clock,
      onFault: (error) =>
        log.error({ err: error }, `${certificateName} has changed and cannot be used; the certificate before it stays in force`),
    })
    watched.onChange(() => log.info({ certificate: files.certificate }, `${files.certificateOption}: the changed certificate is in force`))
    return watched
  } catch (error) {
    throw error instanceof CertificateError ? error : new CertificateError(unreadable(error, files))
  }
}

/** OpenSSL also refuses keys that are too short, and chains that break off. */
function checkWithOpenSsl(tls: Tls, certificateName: string): void {
  try {
    createSecureContext(contextOf(tls))
  } catch (error) {
    throw new CertificateError(`${certificateName} cannot be served with: ${errorText(error)}`)
  }
}

function unreadable(error: unknown, { certificate, certificateOption, key, keyOption }: PairFiles): string {
  const path = error instanceof Error && "path" in error ? error.path : undefined
  const [option, file] = path === key ? [keyOption, key] : [certificateOption, certificate]
  return `${option}: ${file} cannot be read: ${errorText(error)}`
}
