import { describe, expect, it } from "vitest"
import { HookError } from "../hooks/hook-error.ts"
import { createLog } from "./logging.ts"

function logged(format: "text" | "json", verbosity: number): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = []
  return { lines, log: createLog({ format, verbosity, write: (line) => void lines.push(line) }) }
}

describe("the log", () => {
  it("consists of lines for people", () => {
    const { lines, log } = logged("text", 0)
    log.info({ url: "https://127.0.0.1:6443", note: "two words" }, "ready")
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}ready url=https:\/\/127\.0\.0\.1:6443 note="two words"\n$/)
  })

  it("shows where an error was thrown", () => {
    const { lines, log } = logged("text", 0)
    log.error({ err: new Error("lost") }, "it failed")
    expect(lines[0]).toContain("ERROR it failed\nError: lost\n")
  })

  it("is more verbose on request", () => {
    for (const [verbosity, expected] of [
      [0, 0],
      [4, 1],
      [6, 2],
    ] as const) {
      const { lines, log } = logged("json", verbosity)
      log.debug("some")
      log.trace("all")
      expect(lines.length).toBe(expected)
    }
  })

  it("contains no credentials", () => {
    const { lines, log } = logged("json", 0)
    log.info({ token: "secret-a", headers: { authorization: "Bearer secret-b" }, user: { token: "secret-c" } }, "request")
    expect(lines.join("")).not.toMatch(/secret-/)
  })

  it("has of an error what its program wrote, and not what it was about", () => {
    for (const format of ["text", "json"] as const) {
      const { lines, log } = logged(format, 0)
      log.error(
        { err: Object.assign(new TypeError("it is no address"), { code: "ERR", input: "secret-a", rawPacket: Buffer.from("b") }) },
        "1",
      )
      log.error({ err: new HookError("secret-b", false, { logged: "it refused" }) }, "2")
      expect(lines.join("")).not.toMatch(/secret-|rawPacket/)
      expect(lines[0]).toContain("TypeError: it is no address")
      expect(lines[1]).toContain("it refused")
    }
  })
})
