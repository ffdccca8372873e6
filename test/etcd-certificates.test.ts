/**
 * An etcd that requires client certificates (--client-cert-auth), and the errors of a server that cannot connect to it.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type LibraryOptions, startServer } from "../runtime/library.ts"
import { createTestAuthority, type IssuedPair, type TestAuthority } from "./support/certificates.ts"
import { type EtcdServer, forEachEtcd, startEtcd } from "./support/etcd.ts"
import { startTestServer } from "./support/server.ts"

forEachEtcd((binary) => {
  describe(`an etcd ${binary.version} with client certificates`, () => {
    let folder: string
    let authority: TestAuthority
    let stranger: TestAuthority
    let client: IssuedPair
    let etcd: EtcdServer
    const path = (name: string): string => join(folder, name)

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "etcd-certificates-"))
      authority = await createTestAuthority("known")
      stranger = await createTestAuthority("stranger")
      client = await authority.issue()
      await writeFile(path("ca.crt"), authority.certificate)
      await writeFile(path("stranger-ca.crt"), stranger.certificate)
      await writePair("server", await authority.issue())
      await writePair("client", client)
      await writePair("stranger", await stranger.issue())
      await writePair("expired", await authority.issue({ days: -1 }))
      await writePair("elsewhere", await authority.issue({ address: "192.0.2.1" }))
      await writeFile(path("garbage"), "no PEM")
      etcd = await startSecure("server")
    })
    afterAll(async () => {
      await etcd.dispose()
      await rm(folder, { recursive: true })
    })

    async function writePair(name: string, { certificate, key }: IssuedPair): Promise<void> {
      await writeFile(path(`${name}.crt`), certificate)
      await writeFile(path(`${name}.key`), key)
    }

    function startSecure(pair: string): Promise<EtcdServer> {
      const known = ["--client-cert-auth", "--trusted-ca-file", path("ca.crt")]
      const own = ["--cert-file", path(`${pair}.crt`), "--key-file", path(`${pair}.key`)]
      return startEtcd(binary, { args: [...known, ...own], tls: { authority: authority.certificate, ...client } })
    }

    function optionsFor(
      files: { authority?: string; pair?: string; certificate?: string; key?: string },
      server = etcd.url,
    ): LibraryOptions {
      const { pair, certificate = pair && `${pair}.crt`, key = pair && `${pair}.key` } = files
      const named = (name: string | undefined): string => (name === undefined ? "" : path(name))
      return {
        "store-servers": [server],
        "store-cafile": named(files.authority),
        "store-certfile": named(certificate),
        "store-keyfile": named(key),
      }
    }

    test("accepts those of its authority", async () => {
      const server = await startTestServer(optionsFor({ authority: "ca.crt", pair: "client" }))
      const object = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}'
      expect((await server.request("POST", "/api/v1/namespaces/default/configmaps", object)).status).toBe(201)
      expect((await server.request("GET", "/api/v1/namespaces/default/configmaps/a")).status).toBe(200)
      expect((await server.request("GET", "/readyz/etcd")).status).toBe(200)
    })

    test.each([
      [
        "no client certificate",
        { authority: "ca.crt" },
        /^--store-certfile: https:\S+ wants a client certificate \(.+\); name one with --store-certfile/,
      ],
      [
        "a client certificate of somebody else",
        { authority: "ca.crt", pair: "stranger" },
        /^--store-certfile: https:\S+ does not accept \S+stranger\.crt /,
      ],
      [
        "a client certificate of yesterday",
        { authority: "ca.crt", pair: "expired" },
        /^--store-certfile: https:\S+ does not accept \S+expired\.crt /,
      ],
      [
        "another authority",
        { authority: "stranger-ca.crt", pair: "client" },
        /^--store-cafile: \S+stranger-ca\.crt does not hold the authority that signed/,
      ],
      ["no authority", { pair: "client" }, /^--store-cafile: the system does not trust the certificate of https:\S+ /],
      [
        "an authority that is not there",
        { authority: "missing.crt", pair: "client" },
        /^--store-cafile: \S+missing\.crt cannot be read: ENOENT/,
      ],
      [
        "a certificate that is not there",
        { certificate: "missing.crt", key: "client.key" },
        /^--store-certfile: \S+missing\.crt cannot be read: ENOENT/,
      ],
      [
        "a key that is not there",
        { certificate: "client.crt", key: "missing.key" },
        /^--store-keyfile: \S+missing\.key cannot be read: ENOENT/,
      ],
      ["an authority that is none", { authority: "garbage", pair: "client" }, /^--store-cafile: \S+garbage holds no certificate in PEM: /],
      [
        "a certificate that is none",
        { certificate: "garbage", key: "client.key" },
        /^--store-certfile: \S+garbage holds no certificate in PEM: /,
      ],
      ["a key that is none", { certificate: "client.crt", key: "garbage" }, /^--store-keyfile: \S+garbage holds no private key in PEM: /],
      [
        "the key of another certificate",
        { certificate: "client.crt", key: "server.key" },
        /^--store-keyfile: \S+server\.key is not the key of --store-certfile \S+client\.crt$/,
      ],
      ["a certificate without its key", { certificate: "client.crt" }, /^--store-certfile and --store-keyfile go together$/],
    ])("is not reached with %s, and the error names the option", async (_what, files, message) => {
      await expect(startServer(optionsFor(files))).rejects.toThrow(message)
    })

    describe("that has the events", () => {
      let main: EtcdServer

      beforeAll(async () => {
        main = await startEtcd(binary)
      })
      afterAll(() => main.dispose())

      /** The main etcd uses plain text: certificates apply to the other one alone. */
      function eventsOptions(files: { authority?: string; pair?: string }, server = etcd.url): LibraryOptions {
        return {
          ...optionsFor(files),
          "store-servers": [main.url],
          "store-servers-overrides": [{ group: "", resource: "events", servers: [server] }],
        }
      }

      test("accepts those of its authority", async () => {
        const server = await startTestServer(eventsOptions({ authority: "ca.crt", pair: "client" }))
        const event =
          '{"kind":"Event","apiVersion":"v1","metadata":{"name":"a","namespace":"default"},"involvedObject":{"namespace":"default"}}'
        expect((await server.request("POST", "/api/v1/namespaces/default/events", event)).status).toBe(201)
        expect((await server.request("GET", "/readyz/etcd")).status).toBe(200)
      })

      test.each([
        ["no client certificate", { authority: "ca.crt" }, /^--store-certfile: https:\S+ wants a client certificate \(.+\); name one/],
        [
          "another authority",
          { authority: "stranger-ca.crt", pair: "client" },
          /^--store-cafile: \S+stranger-ca\.crt does not hold the authority/,
        ],
        [
          "a client certificate of yesterday",
          { authority: "ca.crt", pair: "expired" },
          /^--store-certfile: https:\S+ does not accept \S+expired\.crt /,
        ],
      ])("is not reached with %s, and the error names the option", async (_what, files, message) => {
        await expect(startServer(eventsOptions(files))).rejects.toThrow(message)
      })

      test("is not contacted without encryption", async () => {
        const options = eventsOptions({}, etcd.url.replace("https:", "http:"))
        await expect(startServer(options)).rejects.toThrow(/^--store-servers-overrides: http:\S+ speaks TLS \(.+\); write https/)
      })

      test("may be unreachable at start", async () => {
        const server = await startTestServer(eventsOptions({}, "http://127.0.0.1:1"))
        expect((await server.request("GET", "/api/v1/namespaces/default/configmaps")).status).toBe(200)
        expect((await server.request("GET", "/readyz/etcd")).status).toBe(500)
      })
    })

    test("is not contacted without encryption", async () => {
      const plain = etcd.url.replace("https:", "http:")
      await expect(startServer({ "store-servers": [plain] })).rejects.toThrow(/^--store-servers: http:\S+ speaks TLS \(.+\); write https/)
      await expect(startServer(optionsFor({ authority: "ca.crt" }, plain))).rejects.toThrow(
        /^--store-servers: nothing is encrypted to http:/,
      )
    })

    test("without certificates is not contacted with encryption", async () => {
      const open = await startEtcd(binary)
      const server = open.url.replace("http:", "https:")
      await expect(startServer({ "store-servers": [server] })).rejects.toThrow(
        /^--store-servers: https:\S+ does not speak TLS \(.+\); write http:/,
      )
      await open.dispose()
    })
  })
})
