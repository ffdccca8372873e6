/** Opens the store on an etcd cluster from option values, and keeps the secret that its servers share. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Logger } from "pino"
import { readFileText } from "../base/file-text.ts"
import { errorText } from "../base/error-text.ts"
import type { Clock } from "../base/clock.ts"
import type { Kind } from "../schema/kind.ts"
import type { Options } from "../options/table.ts"
import type { Random } from "../base/random.ts"
import { StartError } from "../base/start-error.ts"
import type { EtcdAddress, EtcdTls } from "../storage/etcd/connection.ts"
import { openEtcdStore } from "../storage/etcd/etcd-store.ts"
import { type HandshakeFault, handshakeFault } from "../storage/etcd/handshake.ts"
import { overrideStores } from "../storage/overridden-store.ts"
import { type Store, StoreError, type StoreOverride } from "../storage/store.ts"
import { storeRoot } from "./data-dir.ts"
import { vendorProfile } from "../base/vendor.ts"

interface OpenOptions {
  readonly options: Options
  readonly clock: Clock
  readonly random: Random
  /** Receives reports about etcd members that stop responding. Absent for a command, which ends with an error. */
  readonly log?: Pick<Logger, "info" | "warn">
}

/**
 * Called with `--store-servers`, regardless of overrides. Throws StartError for files that cannot be used, and for a
 * certificate without a key.
 */
export function openStoreServers(how: OpenOptions): Promise<Store> {
  return openCluster(how, storeAddress(how.options))
}

function openCluster({ options, clock, log, random }: OpenOptions, address: EtcdAddress): Promise<Store> {
  const onServer = (server: string, fault?: string): void => {
    if (fault === undefined) log?.info({ server }, "an etcd server serves again")
    else log?.warn({ server, error: fault }, "an etcd server does not respond: it is skipped while others do, and retried")
  }
  return openEtcdStore({ address, clock, random, onServer, leases: { reuseSeconds: options["lease-reuse-duration-seconds"] } })
}

/**
 * Called by a server at its start. Opens `--store-servers`, and the servers of `--store-servers-overrides` for their
 * resources. `kinds`: all served kinds. Throws StartError as above, for an override of a resource that is not served,
 * and when certificates prevent a connection to the servers of an override. Servers of an override that are merely
 * unreachable fail the ready check until they respond.
 */
export async function openServedStore(how: OpenOptions & { readonly kinds: readonly Kind[] }): Promise<Store> {
  const { options } = how
  const address = storeAddress(options)
  const given = options["store-servers-overrides"].map(({ group, resource, servers }) => ({
    path: pathOf(how, { group, resource }),
    servers,
  }))
  const clusters = new Map<string, Store>()
  async function cluster(servers: readonly string[]): Promise<Store> {
    const name = servers.join(";")
    const store = clusters.get(name) ?? (await openCluster(how, { ...address, servers }))
    clusters.set(name, store)
    return store
  }
  const main = await cluster(address.servers)
  const overrides: (StoreOverride & { readonly servers: readonly string[] })[] = []
  for (const { path, servers } of given) {
    const store = await cluster(servers)
    if (store !== main) overrides.push({ path, store, servers })
  }
  if (overrides.length === 0) return main
  const fault = await overrideFault(options, overrides)
  if (fault === undefined) return overrideStores(main, overrides, storeRoot(options["store-prefix"]))
  for (const store of clusters.values()) await store.close()
  throw new StartError(fault)
}

/** Milliseconds that the start waits for the servers of an override before it checks their certificates. */
const overrideCheckTimeoutMs = 2000

async function overrideFault(
  options: Options,
  overrides: readonly (StoreOverride & { readonly servers: readonly string[] })[],
): Promise<string | undefined> {
  const faults = overrides.map(async ({ servers, store }) =>
    (await store.check?.({ timeoutMs: overrideCheckTimeoutMs })) === undefined
      ? undefined
      : certificateFault(options, { option: "store-servers-overrides", servers }),
  )
  return (await Promise.all(faults)).find((fault) => fault !== undefined)
}

/** Expects groups as clients write them. */
function pathOf(how: OpenOptions & { readonly kinds: readonly Kind[] }, { group, resource }: { group: string; resource: string }): string {
  const neutral = vendorProfile(how.options.vendor).neutralGroup(group)
  const kind = how.kinds.find((candidate) => candidate.group === neutral && candidate.resource === resource)
  if (kind === undefined) throw new StartError(`--store-servers-overrides: there is no resource ${group}/${resource}`)
  return kind.storage.path
}

/** The address and TLS settings of `--store-servers`. Throws StartError as above. */
export function storeAddress(options: Options): EtcdAddress {
  const servers = options["store-servers"]
  const tls = tlsOf(options)
  const plain = servers.find((server) => !isEncrypted(server))
  const overridden = options["store-servers-overrides"].flatMap((override) => override.servers)
  if (plain !== undefined && Object.keys(tls).length > 0 && !overridden.some(isEncrypted)) {
    throw new StartError(`--store-servers: nothing is encrypted to ${plain}, and certificates are given; write https://`)
  }
  return { servers, tls }
}

function isEncrypted(server: string): boolean {
  return server.startsWith("https:")
}

function tlsOf(options: Options): EtcdTls {
  const authority = pemText(options, "store-cafile")
  const certificate = pemText(options, "store-certfile")
  const key = pemText(options, "store-keyfile")
  if ((certificate === undefined) !== (key === undefined)) throw new StartError("--store-certfile and --store-keyfile go together")
  if (authority !== undefined) readCertificate(options, "store-cafile", authority)
  if (certificate !== undefined && key !== undefined) checkPair(options, certificate, key)
  return {
    ...(authority !== undefined && { authority }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

type PemOption = "store-cafile" | "store-certfile" | "store-keyfile"

function pemText(options: Options, name: PemOption): string | undefined {
  if (options[name] === "") return undefined
  try {
    return readFileText(options[name])
  } catch (error) {
    throw new StartError(`--${name}: ${options[name]} cannot be read: ${errorText(error)}`)
  }
}

function readCertificate(options: Options, name: PemOption, text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch (error) {
    throw new StartError(`--${name}: ${options[name]} holds no certificate in PEM: ${errorText(error)}`)
  }
}

function checkPair(options: Options, certificate: string, key: string): void {
  const read = readCertificate(options, "store-certfile", certificate)
  const { "store-certfile": certificateFile, "store-keyfile": keyFile } = options
  let fits: boolean
  try {
    fits = read.checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new StartError(`--store-keyfile: ${keyFile} holds no private key in PEM: ${errorText(error)}`)
  }
  if (!fits) throw new StartError(`--store-keyfile: ${keyFile} is not the key of --store-certfile ${certificateFile}`)
}

/**
 * Milliseconds that the start waits for an etcd that is starting too, and its retry interval; the reference gives up
 * after the same time.
 */
const startPatienceMs = 20_000
const startRetryMs = 500

/**
 * Returns the secret of continue tokens. The first server of a store creates it; the others read it below the prefix,
 * next to the resources. Throws StartError when the store cannot be reached; at once when certificates are the reason.
 */
export async function sharedSecret(store: Store, how: { clock: Clock; options: Options; make: () => Buffer }): Promise<Buffer> {
  const { clock, make, options } = how
  const key = `${storeRoot(options["store-prefix"])}orch-apiserver/continue-secret`
  const untilMs = clock.elapsedMs() + startPatienceMs
  for (;;) {
    try {
      const value = make()
      const made = await store.commit({ checks: [{ key, modRevision: 0 }], writes: [{ type: "put", key, value }] })
      return made.ok ? value : Buffer.from(made.current.get(key)?.value ?? value)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      // After an undecided write the next attempt reads the secret, if it was written.
      if (error.code !== "unavailable" && error.code !== "timeout" && error.code !== "undecided")
        throw new StartError(`--store-servers: ${error.message}`)
      const fault = await certificateFault(options, { option: "store-servers", servers: options["store-servers"] })
      if (fault !== undefined) throw new StartError(fault)
      if (clock.elapsedMs() >= untilMs) throw new StartError(`--store-servers: ${error.message}; is etcd running there?`)
    }
    // Node's own timer: the clock's timers do not keep the process alive, and at the start nothing else does.
    await setTimeout(startRetryMs)
  }
}

/** Servers and the option that named them. */
interface NamedServers {
  readonly option: "store-servers" | "store-servers-overrides"
  readonly servers: readonly string[]
}

/**
 * Names the option that prevents this server and one of `servers` from trusting each other, and the remedy; undefined
 * when there is none.
 */
async function certificateFault(options: Options, { option, servers }: NamedServers): Promise<string | undefined> {
  const { tls = {} } = storeAddress(options)
  for (const server of servers) {
    const fault = await handshakeFault(server, tls)
    if (fault !== undefined) return faultWords[fault.refused]({ server, option, options, details: fault.details })
  }
  return undefined
}

type FaultText = (given: {
  readonly server: string
  readonly option: NamedServers["option"]
  readonly options: Options
  readonly details: string
}) => string

const faultWords: Readonly<Record<HandshakeFault["refused"], FaultText>> = {
  "server-authority": ({ server, options: { "store-cafile": file }, details }) =>
    file === ""
      ? `--store-cafile: the system does not trust the certificate of ${server} (${details}); name the file with its authority`
      : `--store-cafile: ${file} does not hold the authority that signed the certificate of ${server} (${details})`,
  "server-name": ({ server, option, details }) =>
    `--${option}: the certificate of ${server} is for other names (${details}); use one of these, or give etcd a certificate for this one`,
  "server-dates": ({ server, option, details }) => `--${option}: the certificate of ${server} is not valid today (${details}); renew it`,
  "client-certificate": ({ server, options: { "store-certfile": file }, details }) =>
    file === ""
      ? `--store-certfile: ${server} wants a client certificate (${details}); name one with --store-certfile and its key with --store-keyfile`
      : `--store-certfile: ${server} does not accept ${file} (${details}); it must be signed by etcd's --trusted-ca-file, for client authentication, and valid today`,
  encryption: ({ server, option, details }) => `--${option}: ${server} does not speak TLS (${details}); write http:// instead of https://`,
  "plain-text": ({ server, option, details }) => `--${option}: ${server} speaks TLS (${details}); write https:// instead of http://`,
}
