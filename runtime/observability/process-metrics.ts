/** Measurements of the process by Linux, under the names of Prometheus' clients. */
import { readdir, readFile } from "node:fs/promises"
import { gauge, type Metric } from "./metric.ts"

/** Returns the metrics of the process that need files of `/proc`; none where there are no such files. */
export async function processMetrics(): Promise<readonly Metric[]> {
  try {
    const [open, limits, status] = await Promise.all([
      readdir("/proc/self/fd"),
      readFile("/proc/self/limits", "utf8"),
      readFile("/proc/self/status", "utf8"),
    ])
    const max = /^Max open files +(\d+)/m.exec(limits)?.[1]
    const kilobytes = /^VmSize:\s+(\d+) kB/m.exec(status)?.[1]
    return [
      ...(max === undefined ? [] : [gauge("process_max_fds", "Most files and connections that may be open.", Number(max))]),
      gauge("process_open_fds", "Open files and connections.", open.length),
      ...(kilobytes === undefined
        ? []
        : [gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", Number(kilobytes) * 1024)]),
    ]
  } catch {
    return []
  }
}
