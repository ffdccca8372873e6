/** The TLS settings of a server's listener: its certificates, and the authorities of clients. */
import type { Logger } from "pino"
import type { ConfiguredAuthentication } from "./authn/configured.ts"
import type { Listener } from "./http/listen.ts"
import type { ServingTls, Tls } from "./http/tls.ts"

interface TlsSources {
  readonly serving: ServingTls
  readonly authentication?: ConfiguredAuthentication
  readonly log: Pick<Logger, "error">
}

export function tlsOf({ authentication, serving }: TlsSources): Tls {
  const clientAuthorities = authentication?.clientAuthorities()
  return { ...serving.current(), ...(clientAuthorities !== undefined && { clientAuthorities }) }
}

/**
 * Called once the server listens: new connections get changed files. Files were checked one by one; if OpenSSL refuses
 * them together, nothing changes.
 */
export function followTls(sources: TlsSources, { setTls }: Pick<Listener, "setTls">): void {
  const renew = (): void => {
    try {
      setTls?.(tlsOf(sources))
    } catch (error) {
      sources.log.error({ err: error }, "changed certificates cannot be used; those before stay in force")
    }
  }
  sources.authentication?.onAuthorities(renew)
  sources.serving.onChange(renew)
}
