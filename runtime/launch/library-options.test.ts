import { expect, it } from "vitest"
import { libraryStart } from "./library-options.ts"
import { StartError } from "../base/start-error.ts"

/** As a program without types passes them. */
it.each<[string, string]>([
  ['{"port": "8080"}', "startServer: port: expected a whole number from 0 to 65535"],
  ['{"port": 8443, "secure-port": 8443}', "startServer: port and secure-port are one option; give one of them"],
  ['{"middleware": "log"}', "startServer: middleware: expected a list of functions"],
  ['{"api": "my/generated"}', "startServer: api: expected a list of folders of generated code, or of their imported index.ts"],
  ['{"api": [{"kinds": []}]}', "startServer: api: expected a list of folders"],
  ['{"keepAlive": 1}', "startServer: keepAlive: expected true or false"],
  ['{"keepalive": true}', 'startServer: unknown option "keepalive"; did you mean "keepAlive"?'],
  ['{"store": "lmdb"}', 'startServer: store: "lmdb" needs a folder: "data-dir"'],
])("are refused when wrong: %s", (given, message) => {
  expect(() => libraryStart(JSON.parse(given))).toThrow(StartError)
  expect(() => libraryStart(JSON.parse(given))).toThrow(message)
})

it("keep the process alive when the server may serve other programs", () => {
  expect(libraryStart({})).toMatchObject({ keepAlive: false, port: 0, transient: true, options: { store: "memory" } })
  expect(libraryStart({ port: 8443 })).toMatchObject({ keepAlive: true, port: 8443 })
  expect(libraryStart({ "secure-port": 8443 })).toMatchObject({ keepAlive: true, port: 8443 })
  expect(libraryStart({ "data-dir": "x" })).toMatchObject({ keepAlive: true, transient: false, options: { store: "lmdb" } })
  expect(libraryStart({ "data-dir": "x", keepAlive: false })).toMatchObject({ keepAlive: false })
})
