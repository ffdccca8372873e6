import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { createTestAuthority, keyAlgorithms } from "../../test/support/certificates.ts"
import { loadOptions } from "../options/load.ts"
import { openServingFiles, type ServingFiles } from "./serving-files.ts"
import { tlsSettings } from "./tls-settings.ts"

const authority = await createTestAuthority("serving")
const [one, other] = [await authority.issue(), await authority.issue()]
const short = await authority.issue({ algorithm: { ...keyAlgorithms["RSA of 2048 bits"], modulusLength: 512 } as never }) // Not a length that servers may have.

function folder(): (name: string, text: string) => string {
  const dir = mkdtempSync(join(tmpdir(), "serving-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return (name, text) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
}

function open(...args: string[]): ServingFiles {
  const { options } = loadOptions({ args, env: {}, readFile: () => "" })
  const own = options["tls-cert-file"] === "" ? { ...one, authority: "the authority" } : undefined
  const log = { error: () => undefined, info: () => undefined, warn: () => undefined }
  const opened = openServingFiles({ options, own, settings: tlsSettings(options, log), clock: createManualClock(), log })
  onTestFinished(() => opened.stop())
  return opened
}

it("are the self-signed pair, or that of the options, with those of names", () => {
  const file = folder()
  const [crt, key] = [file("tls.crt", other.certificate), file("tls.key", other.key)]
  expect(open()).toMatchObject({ authority: "the authority" })
  expect(open().current()).toMatchObject(one)
  const opened = open(`--tls-cert-file=${crt}`, `--tls-private-key-file=${key}`, `--tls-sni-cert-key=${crt},${key}:*.a.example,b`)
  expect(opened.authority).toBe(other.certificate)
  expect(opened.current()).toMatchObject({ ...other, named: [{ ...other, names: ["*.a.example", "b"] }] })
})

it("stop the start, with the option and the file, when they cannot be served with", () => {
  const file = folder()
  const [crt, key, otherKey] = [file("tls.crt", one.certificate), file("tls.key", one.key), file("other.key", other.key)]
  const [shortCrt, shortKey] = [file("short.crt", short.certificate), file("short.key", short.key)]
  const none = file("none", "no certificate")
  const serving = (certificate: string, its: string) => () => open(`--tls-cert-file=${certificate}`, `--tls-private-key-file=${its}`)
  const named = (certificate: string, its: string) => () => open(`--tls-sni-cert-key=${certificate},${its}`)
  expect(serving("absent.crt", key)).toThrow(/^--tls-cert-file: absent\.crt cannot be read: ENOENT/)
  expect(serving(crt, "absent.key")).toThrow(/^--tls-private-key-file: absent\.key cannot be read: ENOENT/)
  expect(serving(crt, otherKey)).toThrow(`--tls-private-key-file ${otherKey} is not the key of --tls-cert-file ${crt}`)
  expect(serving(none, key)).toThrow(`--tls-cert-file ${none} and --tls-private-key-file ${key} must be PEM files: `)
  expect(serving(shortCrt, shortKey)).toThrow(`--tls-cert-file ${shortCrt} cannot be served with: `)
  expect(named(crt, "absent.key")).toThrow(/^--tls-sni-cert-key: absent\.key cannot be read: ENOENT/)
  expect(named(crt, otherKey)).toThrow(`--tls-sni-cert-key ${otherKey} is not the key of --tls-sni-cert-key ${crt}`)
})
