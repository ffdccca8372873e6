/**
 * The parts of the control plane that ComponentStatus reports: each store of the server, and the scheduler and the
 * controller manager where kube-apiserver looks for them, on the same machine (catalog resources.yaml:
 * componentstatuses).
 */
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import type { Clock } from "../base/clock.ts"
import { componentProbeMs } from "../base/limits.ts"
import { GuardedAgent } from "../tls/connect.ts"
import { cachedCheck, type HealthCheck } from "./health.ts"

/** The programs beside the server, by their ports. */
const programs = { "controller-manager": 10257, scheduler: 10259 }

/**
 * Called once per server. `stores`: a check for each store, the main one first. Requests at the same time are one
 * probe.
 */
export function componentChecks(
  stores: readonly HealthCheck[],
  clock: Clock,
  ports: Readonly<Record<string, number>> = programs,
): HealthCheck[] {
  const probes = Object.entries(ports).map(([name, port]) => cachedCheck({ name, check: () => probe(port, clock) }, clock))
  return [...probes, ...stores.map(({ check }, index) => ({ name: `etcd-${index}`, check }))]
}

/**
 * Asks a program on this machine for its health. Its certificate is not checked, as in the reference: the answer is
 * only shown, and the request holds no secret.
 */
async function probe(port: number, clock: Clock): Promise<string | undefined> {
  const url = `https://127.0.0.1:${port}/healthz`
  try {
    const { statusCode = 0 } = await headOf(url, clock)
    return statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`
  } catch (error) {
    return `Get ${JSON.stringify(url)}: ${error instanceof Error ? error.message : String(error)}`
  }
}

const agent = new GuardedAgent({ keepAlive: false })

/** The head of the answer decides. The connection is closed after it, or after `componentProbeMs`. */
function headOf(url: string, clock: Clock): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, rejectUnauthorized: false }, (answer) => {
      resolve(answer)
      asked.destroy()
    })
    const cancel = clock.after(componentProbeMs, () => asked.destroy(new Error(`no answer within ${componentProbeMs} ms`)))
    asked.on("error", reject)
    asked.on("close", () => {
      cancel()
      reject(new Error("the connection was closed without an answer"))
    })
    asked.end()
  })
}
