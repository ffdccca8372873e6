/** What requests to other machines lean on, put together once per server. */
import { networkInterfaces } from "node:os"
import type { Clock } from "../clock.ts"
import type { Vendor } from "../vendor.ts"
import { addressPolicy } from "./addresses.ts"
import { type AgentTls, createDialer, type Network, type Send, systemNetwork } from "./dialer.ts"
import type { AgentSettings } from "./node-agent.ts"

/** Options of the server; every one has a default. */
export interface ConnectOptions {
  /** `--node-agent-preferred-address-types` */
  readonly agentAddressTypes?: readonly string[]
  /** `--node-agent-timeout` */
  readonly agentTimeoutMs?: number
  /** `--node-agent-client-certificate`, `-client-key` and `-certificate-authority`, as PEM texts. */
  readonly agentTls?: AgentTls
  /** `--proxy-allowed-cidrs` */
  readonly allowedCidrs?: readonly string[]
  /** Absent: that of this machine. */
  readonly network?: Network
  /** Absent: those of this machine's interfaces at the time. */
  readonly networkAddresses?: () => readonly string[]
}

export interface Connector {
  readonly send: Send
  readonly agent: AgentSettings
}

/** Specification section 8. */
export const standardAddressTypes: readonly string[] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"]
const standardTimeoutMs = 5000

/** Of all interfaces, as they are at the moment. */
function systemAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address.split("%", 1)[0] ?? ""))
}

/** Called once per server. `advertised`: where clients reach it; its other addresses are those of the machine's interfaces. */
export function createConnector(options: ConnectOptions, server: { clock: Clock; vendor: Vendor; advertised: string }): Connector {
  const { networkAddresses = systemAddresses } = options
  const send = createDialer({
    network: options.network ?? systemNetwork,
    policy: addressPolicy({
      own: () => [server.advertised, ...networkAddresses()],
      allowedCidrs: options.allowedCidrs ?? [],
      clock: server.clock,
    }),
    agentTls: options.agentTls ?? {},
    clock: server.clock,
  })
  const agent: AgentSettings = {
    addressTypes: options.agentAddressTypes ?? standardAddressTypes,
    timeoutMs: options.agentTimeoutMs ?? standardTimeoutMs,
    vendor: server.vendor,
  }
  return { send, agent }
}
