/** The clients with which a server calls other machines, and records the use of tokens. */
import type { Logger } from "pino"
import type { AdmissionReader, PluginDeps } from "./admission/plugin-deps.ts"
import type { Clock } from "./base/clock.ts"
import { loggedText } from "./base/confidential.ts"
import { notFound } from "./base/errors.ts"
import type { Random } from "./base/random.ts"
import { type ConnectOptions, createConnector } from "./connect/connector.ts"
import type { ObjectReader } from "./connect/objects.ts"
import { isRefusal } from "./controllers/refusals.ts"
import { createHooks } from "./hooks/hooks.ts"
import { advertisedAddress } from "./launch/server-names.ts"
import type { Options } from "./options/table.ts"
import type { LastUseOptions } from "./authn/service-accounts/last-use.ts"
import type { ObjectClient } from "./schema/object-client.ts"
import type { ServerParts } from "./server-parts.ts"

/** The server's name in requests to web hooks. */
export const userAgent = "orch-apiserver"

/** The part of the server's options that its clients need. */
interface ConnectedServer {
  readonly clock: Clock
  readonly random: Random
  readonly options: Options
  readonly connect?: ConnectOptions
}

type Clients = Pick<ServerParts, "connector" | "hooks">

/** Called once at start. */
export function clientsOf({ clock, connect = {}, options, random }: ConnectedServer, { vendor, reader }: PluginDeps): Clients {
  const advertised = advertisedAddress({ advertise: options["advertise-address"], bind: options["bind-address"] })
  const connector = createConnector(connect, { clock, vendor, advertised })
  const { network, policy } = connector
  return { connector, hooks: createHooks({ network, policy, read: coreReader(reader), random, clock, userAgent }) }
}

function coreReader(reader: AdmissionReader): ObjectReader {
  return async (resource, name, namespace) => {
    const found = await reader.get({ group: "", version: "v1", resource }, namespace, name)
    if (found === undefined) throw notFound({ group: "", resource, name })
    return found
  }
}

/** Writes the last use of tokens to their Secrets. `client`: called for each write, in the server's own name. */
export function labelsOfSecrets(client: () => ObjectClient, log: Pick<Logger, "warn">): Pick<LastUseOptions, "label" | "onFault"> {
  return {
    label: ({ namespace, name, uid }, labels) =>
      client().patch({ group: "", version: "v1", resource: "secrets", namespace, name }, { metadata: { uid, labels } }, { type: "merge" }),
    onFault(error, { namespace, name }) {
      // The Secret is gone, or another one has its name.
      if (isRefusal(error, "NotFound", "Conflict")) return
      log.warn(
        { error: loggedText(error), secret: `${namespace}/${name}` },
        "a Secret could not be labelled with the last use of its token",
      )
    },
  }
}
