/** kubectl as users have it: the one on the path, or the one that the environment variable KUBECTL names. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { reportMissing } from "../support/needs.ts"
import type { Cluster } from "./cluster.ts"
import { type CommandOptions, type Outcome, type RunningCommand, runCommand, startCommand } from "./command.ts"

const program = process.env.KUBECTL ?? "kubectl"

/** Appended to the name of a suite: the release, or why it is skipped. */
export const kubectlVersion = clientVersion()
export const kubectlMissing = kubectlVersion === undefined
if (kubectlMissing) reportMissing("kubectl is not installed")

function clientVersion(): string | undefined {
  const { status, stdout } = spawnSync(program, ["version", "--client", "--output=json"], { encoding: "utf8" })
  return status === 0 ? /"gitVersion": "([^"]+)"/.exec(stdout)?.[1] : undefined
}

/** The name of a suite of kubectl tests, with the release or the reason why it cannot run. */
export function kubectlSuite(name: string): string {
  return kubectlMissing ? `${name} (kubectl is not installed)` : `${name} (${kubectlVersion})`
}

export interface Kubectl {
  /** Takes arguments as in a shell. Fails the test when kubectl fails; returns its output. */
  (...args: readonly string[]): Promise<string>
  /** Returns the outcome, success or not. */
  attempt(args: readonly string[], options?: CommandOptions): Promise<Outcome>
  /** For `--watch`. */
  start(...args: readonly string[]): RunningCommand
}

/** With a home of its own, so that the user's cache, configuration and colours have no effect. */
export function kubectlWith({ kubeconfig, home }: { kubeconfig: string; home: string }): Kubectl {
  const env = { KUBECONFIG: kubeconfig, HOME: home, NO_COLOR: "1", TERM: "dumb" }
  const attempt: Kubectl["attempt"] = (args, options) => runCommand(program, args, { ...options, env: { ...env, ...options?.env } })
  async function kubectl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await attempt(args)
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`)
    return stdout
  }
  return Object.assign(kubectl, { attempt, start: (...args: readonly string[]) => startCommand(program, args, { env }) })
}

/** Same as `kubectlWith`, for a cluster of the test's own. */
export function kubectlFor({ kubeconfigFile, folder }: Cluster): Kubectl {
  return kubectlWith({ kubeconfig: kubeconfigFile, home: join(folder, "home") })
}

/** The cells of `kubectl get` output, row by row; columns are two or more spaces apart. */
export function tableOf(printed: string): string[][] {
  return printed
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s{2,}/))
}
