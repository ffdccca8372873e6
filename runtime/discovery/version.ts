/** `/version`: what this server is. */
import { arch, platform } from "node:process"
import type { JsonObject } from "../kit/json.ts"

/** The release of the API whose behaviour is served; clients compare it with their own to decide what they may use. */
const apiRelease = { major: "1", minor: "30", patch: "0" }

/** Where clients expect names of Go's tools stand those of this one's; what was not recorded at build time is empty, as there. */
export function versionInfo(): JsonObject {
  const { major, minor, patch } = apiRelease
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.${patch}+orch`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "v8",
    platform: `${platform}/${goArchitecture()}`,
  }
}

/** Clients know processors by Go's names. */
function goArchitecture(): string {
  return arch === "x64" ? "amd64" : arch === "ia32" ? "386" : arch
}
