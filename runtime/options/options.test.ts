import { describe, expect, it } from "vitest"
import { optionsHelp } from "./help.ts"
import { defaultOptions, loadOptions, type LoadedOptions } from "./load.ts"
import { environmentName } from "./option.ts"
import { optionNames, optionTable } from "./table.ts"

function load(args: readonly string[], more: { env?: Record<string, string>; file?: string } = {}): LoadedOptions {
  return loadOptions({ args, env: more.env ?? {}, readFile: () => more.file ?? "" })
}

describe("the command line", () => {
  it("takes values with and without an equals sign", () => {
    expect(load(["--secure-port=7000"]).options["secure-port"]).toBe(7000)
    expect(load(["--secure-port", "7000"]).options["secure-port"]).toBe(7000)
    expect(load(["--secure_port=7000"]).options["secure-port"]).toBe(7000)
  })

  it("does not take a separate value for a boolean", () => {
    const { options, positionals } = load(["--anonymous-auth", "false"])
    expect(options["anonymous-auth"]).toBe(true)
    expect(positionals).toEqual(["false"])
    expect(load(["--anonymous-auth=false"]).options["anonymous-auth"]).toBe(false)
    expect(load(["--anonymous-auth=F"]).options["anonymous-auth"]).toBe(false)
  })

  it("accepts short options", () => {
    for (const args of [["-v4"], ["-v", "4"], ["-v=4"], ["--v=4"]]) expect(load(args).options.v).toBe(4)
    expect(load(["-h"]).help).toBe(true)
  })

  it("ends options at two dashes", () => expect(load(["--v=1", "--", "--v=2"]).positionals).toEqual(["--v=2"]))

  it("lets the later value win", () => expect(load(["--v=1", "--v=2"]).options.v).toBe(2))

  it("appends to lists and replaces their default", () => {
    expect(load(["--api=a,b", "--api", "c"]).options.api).toEqual(["a", "b", "c"])
    expect(load(["--service-cluster-ip-range=fd00::/112"]).options["service-cluster-ip-range"]).toEqual(["fd00::/112"])
  })

  it("merges maps into the default", () => {
    expect(load(["--feature-gates=WatchList=true"]).options["feature-gates"]).toMatchObject({
      APIResponseCompression: true,
      WatchList: true,
    })
    const both = ["--feature-gates=WatchList=true,APIResponseCompression=false", "--feature-gates", "WatchList=false"]
    expect(load(both).options["feature-gates"]).toMatchObject({ APIResponseCompression: false, WatchList: false })
  })

  it("parses durations and ranges", () => {
    expect(load(["--event-ttl=1h30m"]).options["event-ttl"]).toBe(5_400_000)
    expect(load(["--service-node-port-range=4000-5000"]).options["service-node-port-range"]).toEqual({ first: 4000, last: 5000 })
  })
})

describe("a wrong option", () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--secure-prt=1"], "unknown option --secure-prt; did you mean --secure-port?"],
    [["--wholly-unlike"], "unknown option --wholly-unlike; --help lists the options"],
    [["-secure-port=1"], "-secure-port=1: long options begin with two dashes: --secure-port=1"],
    [["-x"], "unknown option -x; --help lists the options"],
    [["--secure-port"], "--secure-port needs a value: a whole number from 0 to 65535"],
    [["--secure-port=-1"], '--secure-port: "-1" will not do: expected a whole number from 0 to 65535'],
    [["--anonymous-auth=maybe"], '--anonymous-auth: "maybe" will not do: expected true or false'],
    [["--vendor=kubernets"], '--vendor: "kubernets" will not do: expected one of orch, kubernetes; did you mean kubernetes?'],
    [["--event-ttl=5"], '--event-ttl: "5" will not do: expected a duration of 1s or more, such as 90s, 5m0s or 1h30m'],
    [
      ["--service-node-port-range=2-1"],
      '--service-node-port-range: "2-1" will not do: expected two ports from 1 to 65535, the smaller first, such as 30000-32767',
    ],
    [["--bind-address=localhost"], '--bind-address: "localhost" will not do: expected an IP address such as 127.0.0.1 or ::1'],
    [
      ["--feature-gates=WatchLst=true"],
      '--feature-gates: "WatchLst=true" will not do: expected name=true or name=false, with commas between several; the names are APIResponseCompression, CRDValidationRatcheting, ClusterTrustBundle, ClusterTrustBundleProjection, CrossNamespaceVolumeDataSource, CustomResourceFieldSelectors, DynamicResourceAllocation, InPlacePodVerticalScaling, MatchLabelKeysInPodAffinity, MaxUnavailableStatefulSet, ProcMountType, RecoverVolumeExpansionFailure, RecursiveReadOnlyMounts, StructuredAuthenticationConfiguration, StructuredAuthorizationConfiguration, UnauthenticatedHTTP2DOSMitigation, UserNamespacesSupport, VolumeAttributesClass, WatchList; did you mean WatchList?',
    ],
  ]
  it.each(cases)("%j is reported with what is expected", (args, message) => expect(() => load(args)).toThrow(message))
})

describe("sources", () => {
  it("take precedence in the order flag, variable, file, default", () => {
    const file = "securePort: 1\nv: 1\nvendor: kubernetes\n"
    const { options, given } = load(["--config=x.yaml", "--v=3"], { env: { ORCH_SECURE_PORT: "2", ORCH_V: "2" }, file })
    expect([options.v, options["secure-port"], options.vendor, options.store]).toEqual([3, 2, "kubernetes", "lmdb"])
    expect([...given].toSorted()).toEqual(["config", "secure-port", "v", "vendor"])
  })

  it("take lists and maps from a file", () => {
    const file = "api: [a, b]\nfeatureGates: {WatchList: true}\nauthorizationMode: []\n"
    const { options } = load([], { env: { ORCH_CONFIG: "x.yaml" }, file })
    expect(options.api).toEqual(["a", "b"])
    expect(options["feature-gates"].WatchList).toBe(true)
    expect(options["authorization-mode"]).toEqual([])
  })

  it("are named in errors", () => {
    expect(() => load([], { env: { ORCH_V: "x" } })).toThrow('ORCH_V: "x" will not do')
    expect(() => load(["--config=x.yaml"], { file: "v: x" })).toThrow('v in x.yaml: "x" will not do')
    expect(() => load(["--config=x.yaml"], { file: "securePrt: 1" })).toThrow("x.yaml: unknown key securePrt; did you mean securePort?")
    expect(() => load(["--config=x.yaml"], { file: "[" })).toThrow("--config: x.yaml cannot be read")
    expect(() => load(["--config=x.yaml"], { file: "- v" })).toThrow("--config: x.yaml must hold option names and values")
    expect(() => load(["--config=x.yaml"], { file: "v:" })).toThrow("v in x.yaml: a value is missing")
  })
})

describe("the table", () => {
  it("has defaults that parse back from their text", () => {
    const env = Object.fromEntries(optionNames.map((name) => [environmentName(name), formatted(name)]))
    expect(load([], { env }).options).toEqual(defaultOptions())
  })

  it("appears in help", () => {
    for (const name of optionNames) expect(optionsHelp()).toContain(`-${name}`)
    expect(optionsHelp(["vendor"])).not.toContain("--store")
  })
})

function formatted(name: (typeof optionNames)[number]): string {
  const row: { type: { format(value: unknown): string }; default: unknown } = optionTable[name]
  return row.type.format(row.default)
}
