/** A web hook at the API server's in-cluster address, for configurations that name no kubeconfig. */
import { join } from "node:path"
import type { Clock } from "../base/clock.ts"
import type { Vendor } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import type { HookFile } from "./kubeconfig.ts"
import type { HookPlace } from "./place.ts"

export interface InClusterOptions {
  readonly vendor: Vendor
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of the account's token and authority; default: its path in pods. */
  readonly folder?: string
  readonly clock: Clock
  /** Called when the token or the authority has changed and cannot be read. */
  readonly onFault: (error: unknown) => void
}

/** Reads the token and the authority, and again when they change. Throws an Error that says what is missing. */
export function inClusterHook({ vendor, env, folder = accountFolder(vendor), clock, onFault }: InClusterOptions): HookFile {
  const prefix = `${vendor.word.toUpperCase()}_SERVICE`
  const host = env[`${prefix}_HOST`] ?? ""
  const port = env[`${prefix}_PORT`] ?? ""
  if (host === "" || port === "")
    throw new Error(`unable to load in-cluster configuration, ${prefix}_HOST and ${prefix}_PORT must be defined`)
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}/`
  const files = new WatchedFiles({
    paths: [join(folder, "token"), join(folder, "ca.crt")],
    read: ([token = "", authorities = ""]): HookPlace => ({
      url,
      caBundle: Buffer.from(authorities).toString("base64"),
      access: { authorization: `Bearer ${token.trim()}` },
    }),
    clock,
    onFault,
  })
  return {
    get place() {
      return files.current
    },
    stop: () => files.stop(),
  }
}

function accountFolder(vendor: Vendor): string {
  return `/var/run/secrets/${vendor.domain("orch.io/serviceaccount")}`
}
