/** Opens the audit of a server. */
import type { Logger } from "pino"
import { type Audit, type AuditSetup, openAudit } from "./audit/audit.ts"
import type { Clock } from "./base/clock.ts"
import { notFound } from "./base/errors.ts"
import type { Random } from "./base/random.ts"
import { vendorProfile } from "./base/vendor.ts"
import { type ConnectOptions, createConnector } from "./connect/connector.ts"
import { createHooks } from "./hooks/hooks.ts"
import { advertisedAddress } from "./launch/server-names.ts"
import { isLongRunning } from "./observability/in-flight.ts"
import type { Options } from "./options/table.ts"

/** The part of the server's options that audit needs. */
interface AuditedServer {
  readonly audit?: AuditSetup
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  readonly connect?: ConnectOptions
}

/** Called once at start. Undefined when no request is recorded. Throws StartError. */
export function serverAudit({ audit, options, clock, log, random, connect }: AuditedServer, userAgent: string): Audit | undefined {
  if (audit === undefined) return undefined
  const vendor = vendorProfile(options.vendor)
  const advertised = advertisedAddress({ advertise: options["advertise-address"], bind: options["bind-address"] })
  const { network, policy } = createConnector(connect ?? {}, { clock, vendor, advertised })
  const hooks = (): ReturnType<typeof createHooks> =>
    createHooks({
      network,
      policy,
      // A kubeconfig has an address, and never a service.
      read: async (resource, name) => Promise.reject(notFound({ group: "", resource, name })),
      random,
      clock,
      userAgent,
    })
  return openAudit({ ...audit, options, vendor, clock, log, random, createHooks: hooks }, isLongRunning)
}
