import { getCiphers } from "node:tls"
import { describe, expect, it } from "vitest"
import { systemClock } from "../base/clock.ts"
import { loadOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { inMemoryPair } from "./certificates.ts"
import { checkOldestVersion, type TlsSettings, tlsSettings } from "./tls-settings.ts"

function optionsOf(...args: string[]): Options {
  return loadOptions({ args, env: {}, readFile: () => "" }).options
}

function settingsOf(args: string[], available?: readonly string[]): TlsSettings & { readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const log = { warn: (_values: object, text: string) => void warnings.push(text) }
  return { ...tlsSettings(optionsOf(...args), log, available), warnings }
}

const of13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

describe("the settings of TLS", () => {
  it("put suites in the order of the reference, both names of one together", () => {
    const names =
      "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384"
    expect(settingsOf([`--tls-cipher-suites=${names}`])).toEqual({
      minVersion: "TLSv1.2",
      ciphers: `${of13}:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305`,
      warnings: [],
    })
  })

  it("have no suites of TLS 1.2 where it is not spoken, and a warning if some were asked for", () => {
    expect(settingsOf(["--tls-min-version=VersionTLS13"])).toEqual({ minVersion: "TLSv1.3", ciphers: of13, warnings: [] })
    const asked = settingsOf(["--tls-min-version=VersionTLS13", "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"])
    expect([asked.ciphers, asked.warnings]).toEqual([of13, [expect.stringContaining("has no effect")]])
  })

  it("leave out what OpenSSL lacks, unless it was asked for", () => {
    const available = getCiphers().filter((name) => !name.includes("chacha20"))
    expect(settingsOf([], available).ciphers).not.toMatch(/CHACHA20/)
    const suites = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
    expect(() => settingsOf([`--tls-cipher-suites=${suites}`], available)).toThrow(
      /^--tls-cipher-suites: the OpenSSL of this node \(\S+\) does not have TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256; leave them out\. It has TLS_AES_128_GCM_SHA256, /,
    )
  })

  it("need one of the suites of HTTP/2", () => {
    const message =
      "--tls-cipher-suites: HTTP/2 needs TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256; add one of them"
    expect(() => settingsOf(["--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"])).toThrow(message)
    expect(() => settingsOf(["--tls-cipher-suites=TLS_AES_128_GCM_SHA256"])).toThrow(message)
  })

  it("come with directives of HSTS that have an effect", () => {
    expect(() => settingsOf(["--strict-transport-security-directives=preload,includeSubDomains"])).toThrow(
      "--strict-transport-security-directives: preload,includeSubDomains has no effect without max-age=SECONDS; add it",
    )
    expect(settingsOf(["--strict-transport-security-directives=includeSubDomains,max-age=1"]).warnings).toEqual([])
  })

  it("know no other names", () => {
    expect(() => optionsOf("--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265")).toThrow(
      /will not do: expected one of TLS_AES_128_GCM_SHA256, .*; did you mean TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\?$/,
    )
    expect(() => optionsOf("--tls-min-version=VersionSSL30")).toThrow(
      "expected one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13",
    )
  })
})

describe("the oldest version", () => {
  it("is tried, where systems may have turned it off", async () => {
    const pair = await inMemoryPair({ names: ["localhost"], clock: systemClock })
    const settings = settingsOf(["--tls-min-version=VersionTLS10"])
    await expect(checkOldestVersion({ ...pair, ...settings })).resolves.toBeUndefined()
    // As on a system that forbids signatures with SHA-1.
    const without = { ...pair, ...settings, ciphers: settings.ciphers.replace(":@SECLEVEL=0", "") }
    await expect(checkOldestVersion(without)).rejects.toThrow(
      /^--tls-min-version: the OpenSSL of this node \(\S+\) cannot speak TLSv1 with this certificate and these cipher suites \(.+\); ask for VersionTLS12$/,
    )
    await expect(checkOldestVersion({ ...without, minVersion: "TLSv1.2" })).resolves.toBeUndefined()
  })
})
