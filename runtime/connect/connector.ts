/** Everything that requests to other machines need, created once per server. */
import { networkInterfaces } from "node:os"
import type { Clock } from "../base/clock.ts"
import type { Vendor } from "../base/vendor.ts"
import { type AddressPolicy, addressPolicy } from "./addresses.ts"
import { type AgentTls, createDialer, type Network, type SendRequest, systemNetwork } from "./dialer.ts"
import type { AgentSettings } from "./node-agent.ts"

/** Options of the server; all have defaults. */
export interface ConnectOptions {
  /** `--node-agent-preferred-address-types` */
  readonly agentAddressTypes?: readonly string[]
  /** `--node-agent-timeout` */
  readonly agentTimeoutMs?: number
  /** `--node-agent-client-certificate`, `-client-key` and `-certificate-authority`, as PEM texts. */
  readonly agentTls?: AgentTls
  /** `--proxy-allowed-cidrs` */
  readonly allowedCidrs?: readonly string[]
  /** Default: the network of this machine. */
  readonly network?: Network
  /** Default: the current addresses of this machine's interfaces. */
  readonly networkAddresses?: () => readonly string[]
}

export interface Connector {
  readonly send: SendRequest
  readonly network: Network
  readonly policy: AddressPolicy
  readonly agent: AgentSettings
}

/** The default order of the specification, section 8. */
export const standardAddressTypes: readonly string[] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"]
const standardTimeoutMs = 5000

/** The current addresses of all interfaces. */
function systemAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address.split("%", 1)[0] ?? ""))
}

/**
 * Called once per server. `advertised` is the address at which clients reach the server; its other own addresses are
 * the addresses of the machine's interfaces.
 */
export function createConnector(options: ConnectOptions, server: { clock: Clock; vendor: Vendor; advertised: string }): Connector {
  const { networkAddresses = systemAddresses } = options
  const network = options.network ?? systemNetwork
  const policy = addressPolicy({
    own: () => [server.advertised, ...networkAddresses()],
    allowedCidrs: options.allowedCidrs ?? [],
    clock: server.clock,
  })
  const send = createDialer({
    network,
    policy,
    agentTls: options.agentTls ?? {},
    clock: server.clock,
  })
  const agent: AgentSettings = {
    addressTypes: options.agentAddressTypes ?? standardAddressTypes,
    timeoutMs: options.agentTimeoutMs ?? standardTimeoutMs,
    vendor: server.vendor,
  }
  return { send, network, policy, agent }
}
