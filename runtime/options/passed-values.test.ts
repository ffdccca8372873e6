import { describe, expect, it } from "vitest"
import { defaultOptions } from "./load.ts"
import { passedOptions } from "./passed-values.ts"
import { optionNames, type Options, optionTable } from "./table.ts"
import { accepts } from "./value-types.ts"

const defaults = defaultOptions()
const passed = (given: object): Options => passedOptions(given, { defaults, others: ["port", "middleware"] })

describe("options that a program passes", () => {
  it("have every default as a possible value", () => {
    const refused = optionNames.filter((name) => !accepts<unknown>(optionTable[name].type, optionTable[name].default))
    expect(refused).toEqual([])
  })

  it("take the place of defaults, undefined ones do not", () => {
    expect(passed({ vendor: "kubernetes", "event-ttl": 60_000, store: undefined })).toEqual({
      ...defaults,
      vendor: "kubernetes",
      "event-ttl": 60_000,
    })
    const { "feature-gates": gates } = passed({ "feature-gates": { WatchList: true } })
    expect(gates).toEqual({ ...defaults["feature-gates"], WatchList: true })
    expect(passed({ "cors-allowed-origins": [/^https:\/\/[a-z]{1,3}$/] })["cors-allowed-origins"]).toEqual([/^https:\/\/[a-z]{1,3}$/])
  })

  it.each<[object, string]>([
    [{ vendr: "kubernetes" }, 'unknown option "vendr"; did you mean "vendor"?'],
    [{ dataDir: "x" }, 'unknown option "dataDir"; did you mean "data-dir"?'],
    [{ middlewares: [] }, 'unknown option "middlewares"; did you mean "middleware"?'],
    [{ zzzzzzzzz: 1 }, 'unknown option "zzzzzzzzz"'],
    [{ vendor: "kubernets" }, `vendor: 'kubernets' will not do: expected one of orch, kubernetes; did you mean "kubernetes"?`],
    [{ "event-ttl": "1h" }, "event-ttl: '1h' will not do: expected milliseconds, 1000 or more"],
    [{ "event-ttl": 10 }, "event-ttl: 10 will not do: expected milliseconds, 1000 or more"],
    [{ "watch-cache": "true" }, "watch-cache: 'true' will not do: expected true or false"],
    [{ "data-dir": 5 }, "data-dir: 5 will not do: expected a folder"],
    [{ "bind-address": "localhost" }, "bind-address: 'localhost' will not do: expected an IP address such as 127.0.0.1 or ::1"],
    [{ "authorization-mode": "AlwaysAllow" }, "authorization-mode: 'AlwaysAllow' will not do: expected a list, and in it one of"],
    [{ "authorization-mode": ["AlwaysAlow"] }, "authorization-mode: [ 'AlwaysAlow' ] will not do"],
    [{ "feature-gates": { WatchLists: true } }, "feature-gates: { WatchLists: true } will not do: expected an object with true or false"],
    [{ "service-node-port-range": "1-2" }, "such as { first: 30000, last: 32767 }"],
    [{ "secure-port": 70_000 }, "secure-port: 70000 will not do: expected a whole number from 0 to 65535"],
    [{ config: "x.yaml" }, "config is an option of the program orch-apiserver alone"],
    [{ v: 4 }, "v is an option of the program orch-apiserver alone"],
  ])("are refused when wrong: %j", (given, message) => {
    expect(() => passed(given)).toThrow(message)
  })
})
