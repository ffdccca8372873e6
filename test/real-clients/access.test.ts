/**
 * Ways in which client libraries authenticate: certificates, token files that change, credential plugins, the files of
 * a pod, and impersonation.
 */
import { spawnSync } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AuthenticationV1Api, KubeConfig } from "@kubernetes/client-node"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Outcome, type RunningCommand, runCommand, startCommand } from "../clients/command.ts"
import { describeWhere } from "../support/needs.ts"
import { type AccessCluster, certificateOf, execCredential, pluginPrinting, startAccessCluster } from "./access/cluster.ts"

const { ORCH_GO_CLIENTS: programs, ORCH_PYTHON: python } = process.env
const script = fileURLToPath(new URL("python/access.py", import.meta.url))

/** The files of a pod have a fixed place: programs get a mount namespace of their own with the files there. */
const inPod = 'mount -t tmpfs none "$(readlink -f /var/run)" && mkdir -p "$PLACE" && mount --bind "$FILES" "$PLACE" && exec "$@"'
const place = "/var/run/secrets/kubernetes.io/serviceaccount"
const unshare = ["--mount", "--map-root-user", "--"] as const
const hasNamespaces = spawnSync("unshare", [...unshare, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0

const bot = "system:serviceaccount:team-a:bot"
let cluster: AccessCluster
/** Contexts: alice and bob with certificates, `file` with a token file, `plugin` with a credential plugin. */
let kubeconfig: string
let files: { readonly credential: string; readonly runs: string; readonly token: string; readonly pod: string }

beforeAll(async () => {
  cluster = await startAccessCluster()
  const at = (name: string): string => join(cluster.folder, name)
  files = { credential: at("credential.json"), runs: at("runs"), token: at("token"), pod: at(`pod${place}`) }
  kubeconfig = await cluster.kubeconfigOf("users", {
    alice: certificateOf(await cluster.sign("O=team-a, CN=alice")),
    bob: certificateOf(await cluster.sign("O=team-b, CN=bob")),
    file: { tokenFile: files.token },
    plugin: pluginPrinting(files.credential, files.runs),
  })
  const { rbac } = cluster.api
  const rules = [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["carol"] }]
  await rbac.v1.clusterroles.create({ metadata: { name: "as-carol" }, rules })
  await rbac.v1.clusterrolebindings.create({
    metadata: { name: "as-carol" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "as-carol" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
  })
  await writeFile(files.token, await tokenOf("team-a"))
  await writeFile(files.credential, execCredential({ token: await tokenOf("team-b") }))
  await mkdir(files.pod, { recursive: true })
  await writeFile(join(files.pod, "token"), await tokenOf("team-a"))
  await writeFile(join(files.pod, "ca.crt"), cluster.caPem)
  await writeFile(join(files.pod, "namespace"), "team-a")
})
afterAll(() => cluster?.remove())

/** A token of the namespace's bot. */
async function tokenOf(namespace: string): Promise<string> {
  const made = await cluster.api.core.v1.serviceaccounts.token.create(namespace, "bot", { spec: { audiences: [] } })
  return made?.status?.token ?? ""
}

function runInPod(...command: readonly string[]): Promise<Outcome> {
  const { hostname, port } = new URL(cluster.url)
  const env = { PLACE: place, FILES: files.pod, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
  return runCommand("unshare", [...unshare, "sh", "-c", inPod, "sh", ...command], { env })
}

/** Expects success, and returns the output. */
async function printed(running: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await running
  expect(stderr).toBe("")
  expect(code).toBe(0)
  return stdout
}

describe.skipIf(programs === undefined)(`client-go${programs === undefined ? " (go is not installed)" : ""}`, () => {
  const program = join(programs ?? "", "access")

  const usersIn = (stdout: string): unknown[] => stdout.split("\n").flatMap((line): unknown[] => (line === "" ? [] : [JSON.parse(line)]))

  /** A kubeconfig of one user, since the program uses the current context. */
  const contextOf = async (context: string): Promise<string> => {
    const path = join(cluster.folder, `${context}.kubeconfig`)
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(kubeconfig, "utf8")), "current-context": context }))
    return path
  }

  async function start(context: string, changes: number, ...flags: readonly string[]): Promise<RunningCommand> {
    return startCommand(program, ["-kubeconfig", await contextOf(context), "-changes", String(changes), ...flags])
  }

  /** Resolves with the printed users once there are more than `count`. */
  async function untilUsers(running: RunningCommand, count: number): Promise<unknown[]> {
    return usersIn(await running.until((stdout) => stdout.split("\n").length > count))
  }

  it("signs in with a certificate, and in the name of others", async () => {
    const args = ["-kubeconfig", await contextOf("alice")]
    expect(usersIn(await printed(runCommand(program, args)))).toEqual([{ username: "alice", groups: ["team-a", "system:authenticated"] }])
    const as = async (user: object): Promise<unknown[]> =>
      usersIn(await printed(runCommand(program, [...args, "-as", JSON.stringify(user)])))
    expect(await as({ UserName: "carol" })).toEqual([{ username: "carol", groups: ["system:authenticated"] }])
    expect(await as({ UserName: "dave" })).toEqual([expect.stringContaining('User "alice" cannot impersonate resource "users"')])
    expect(await as({ UserName: "carol", Groups: ["devs"] })).toEqual([expect.stringContaining('cannot impersonate resource "groups"')])
    expect(await as({ UserName: "carol", UID: "7" })).toEqual([expect.stringContaining('cannot impersonate resource "uids"')])
    expect(await as({ UserName: "carol", Extra: { "a/B": ["1"] } })).toEqual([
      expect.stringContaining('cannot impersonate resource "userextras/a/b" in API group "authentication.k8s.io"'),
    ])
    const admin = ["-kubeconfig", cluster.kubeconfigFile, "-as"]
    const whole = { UserName: "carol", UID: "7", Groups: ["devs", "testers"], Extra: { "example.com/floor": ["2", "3"] } }
    expect(usersIn(await printed(runCommand(program, [...admin, JSON.stringify(whole)])))).toEqual([
      { username: "carol", uid: "7", groups: ["devs", "testers", "system:authenticated"], extra: { "example.com/floor": ["2", "3"] } },
    ])
  })

  it("signs in with a token file, and reads it again when its token is refused", async () => {
    await writeFile(files.token, await tokenOf("team-a"))
    expect(usersIn(await printed(runCommand(program, ["-kubeconfig", await contextOf("file")])))).toMatchObject([{ username: bot }])
    await writeFile(files.token, "nobody's")
    const running = await start("file", 1, "-reread")
    expect(await untilUsers(running, 1)).toEqual(["Unauthorized"])
    await writeFile(files.token, await tokenOf("team-b"))
    expect(await untilUsers(running, 2)).toMatchObject(["Unauthorized", { username: "system:serviceaccount:team-b:bot" }])
    await running.end()
  })

  it("asks a credential plugin again when the token or the certificate has expired", async () => {
    const soon = (): Date => new Date(Date.now() + 1000)
    const put = (...credential: Parameters<typeof execCredential>): Promise<void> =>
      writeFile(files.credential, execCredential(...credential))
    await writeFile(files.runs, "")
    await put({ token: await tokenOf("team-a") }, soon())
    const running = await start("plugin", 2)
    await untilUsers(running, 1)
    const [one, other] = await Promise.all(["CN=erin", "CN=frank"].map((subject) => cluster.sign(subject)))
    await put({ clientCertificateData: one?.certificate ?? "", clientKeyData: one?.key ?? "" }, soon())
    await untilUsers(running, 2)
    await put({ clientCertificateData: other?.certificate ?? "", clientKeyData: other?.key ?? "" })
    expect(await untilUsers(running, 3)).toMatchObject([{ username: bot }, { username: "erin" }, { username: "frank" }])
    await running.end()
    const runs = (await readFile(files.runs, "utf8")).trim().split("\n")
    expect(runs.length).toBeGreaterThanOrEqual(3)
    expect(JSON.parse(runs[0] ?? "")).toMatchObject({ kind: "ExecCredential", spec: { cluster: { server: cluster.url } } })
  })

  describeWhere(hasNamespaces, "there are no mount namespaces")("in a pod", () => {
    it("signs in with the pod's token and trusts the pod's authority", async () => {
      expect(usersIn(await printed(runInPod(program, "-in-cluster")))).toMatchObject([{ username: bot }])
    })
  })
})

describe.skipIf(python === undefined)(`Python${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  it("signs in with certificates, token files and credential plugins, and in the name of others", async () => {
    await writeFile(files.token, await tokenOf("team-a"))
    await writeFile(files.credential, execCredential({ token: await tokenOf("team-b") }))
    expect(await printed(runCommand(python ?? "", [script, kubeconfig, "alice", "file", "plugin"]))).toBe(
      `alice alice\nfile ${bot}\nplugin system:serviceaccount:team-b:bot\nimpersonated carol\n`,
    )
  })

  describeWhere(hasNamespaces, "there are no mount namespaces")("in a pod", () => {
    it("signs in with the pod's token and trusts the pod's authority", async () => {
      expect(await printed(runInPod(python ?? "", script))).toBe(`pod ${bot}\n`)
    })
  })
})

describe("the JavaScript client", () => {
  const whoami = async (config: KubeConfig): Promise<string | undefined> =>
    (await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })).status?.userInfo?.username

  it("signs in with certificates and credential plugins", async () => {
    await writeFile(files.credential, execCredential({ token: await tokenOf("team-b") }))
    const as = (context: string): Promise<string | undefined> => {
      const config = new KubeConfig()
      config.loadFromFile(kubeconfig)
      config.setCurrentContext(context)
      return whoami(config)
    }
    expect(await as("alice")).toBe("alice")
    expect(await as("plugin")).toBe("system:serviceaccount:team-b:bot")
  })

  it("signs in with the files of a pod", async () => {
    const { hostname, port } = new URL(cluster.url)
    vi.stubEnv("KUBERNETES_SERVICE_HOST", hostname)
    vi.stubEnv("KUBERNETES_SERVICE_PORT", port)
    const config = new KubeConfig()
    config.loadFromCluster(join(cluster.folder, "pod"))
    vi.unstubAllEnvs()
    expect(await whoami(config)).toBe(bot)
    expect(config.getContextObject(config.getCurrentContext())?.namespace).toBe("team-a")
  })
})
