/** Users of kubectl: certificates, tokens, credential plugins, roles, and questions about them. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Kubectl, kubectlMissing, kubectlSuite, kubectlWith, tableOf } from "../clients/kubectl.ts"
import { makeCertificate } from "../support/client-certificates.ts"
import { type AccessCluster, certificateOf, claimsOf, execCredential, pluginPrinting, startAccessCluster } from "./access/cluster.ts"

describe.skipIf(kubectlMissing)(kubectlSuite("users with kubectl"), () => {
  let cluster: AccessCluster
  /** kubectl as the administrator. */
  let kubectl: Kubectl
  /** Files of the credential plugin and of the token file. */
  let files: { readonly credential: string; readonly runs: string; readonly token: string }

  beforeAll(async () => {
    cluster = await startAccessCluster()
    const at = (name: string): string => join(cluster.folder, name)
    files = { credential: at("credential.json"), runs: at("runs"), token: at("token") }
    const stranger = await makeCertificate({
      subject: "O=system:masters, CN=mallory",
      issuer: await makeCertificate({ subject: "CN=other", authority: true }),
    })
    const kubeconfig = await cluster.kubeconfigOf("users", {
      admin: certificateOf(await cluster.sign("O=system:masters, CN=admin")),
      alice: certificateOf(await cluster.sign("O=team-a, CN=alice")),
      mallory: certificateOf(stranger),
      plugin: pluginPrinting(files.credential, files.runs),
      file: { tokenFile: files.token },
    })
    kubectl = kubectlWith({ kubeconfig, home: at("home") })
  })
  afterAll(() => cluster?.remove())

  /** The answer to a question of the user with this context, and its exit code. */
  async function canI(context: string, ...question: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await kubectl.attempt([`--context=${context}`, "auth", "can-i", ...question])
    return `${stderr}${stdout.trim()} ${code}`
  }

  async function refused(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await kubectl.attempt(args)
    expect(code, args.join(" ")).toBe(1)
    return stderr.trim()
  }

  const whoami = async (context: string, ...more: readonly string[]): Promise<object> =>
    JSON.parse(await kubectl(`--context=${context}`, "auth", "whoami", "-o", "json", ...more)).status.userInfo

  describe("contexts with certificates", () => {
    it("sign in the common name with its organizations", async () => {
      expect(tableOf(await kubectl("--context=alice", "auth", "whoami"))).toEqual([
        ["ATTRIBUTE", "VALUE"],
        ["Username", "alice"],
        ["Groups", "[team-a system:authenticated]"],
      ])
      await kubectl("config", "use-context", "alice")
      expect(await kubectl("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).toBe("alice")
      await kubectl("config", "use-context", "admin")
    })

    it("of an authority that the server does not know sign in nobody", async () => {
      expect(await refused("--context=mallory", "get", "namespaces")).toContain("error: You must be logged in to the server")
    })
  })

  describe("roles and bindings", () => {
    it("are created, shown, and decide at once", async () => {
      expect(await canI("alice", "list", "configmaps", "-n", "team-a")).toBe("no 1")
      expect(await refused("--context=alice", "-n", "team-a", "get", "configmaps")).toBe(
        'Error from server (Forbidden): configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "team-a"',
      )
      const rules = ["--verb=get,list", "--resource=configmaps,deployments.apps,pods/log"]
      expect(await kubectl("-n", "team-a", "create", "role", "reader", ...rules)).toBe("role.rbac.authorization.k8s.io/reader created\n")
      const subjects = ["--user=alice", "--group=readers", "--serviceaccount=team-a:bot"]
      expect(await kubectl("-n", "team-a", "create", "rolebinding", "readers", "--role=reader", ...subjects)).toBe(
        "rolebinding.rbac.authorization.k8s.io/readers created\n",
      )
      expect(await canI("alice", "list", "configmaps", "-n", "team-a")).toBe("yes 0")
      expect(await canI("alice", "get", "pods", "--subresource=log", "-n", "team-a")).toBe("yes 0")
      expect(await canI("alice", "get", "deployments.apps/web", "-n", "team-a")).toBe("yes 0")
      expect(await canI("alice", "delete", "configmaps", "-n", "team-a")).toBe("no 1")
      expect(await canI("alice", "list", "configmaps", "-n", "team-b")).toBe("no 1")
      expect(await canI("alice", "list", "configmaps", "-A")).toBe("no 1")
      expect(tableOf(await kubectl("-n", "team-a", "get", "rolebindings", "-o", "wide"))[1]?.toSpliced(2, 1)).toEqual([
        ...["readers", "Role/reader"],
        ...["alice", "readers", "team-a/bot"],
      ])
      expect(tableOf(await kubectl("-n", "team-a", "describe", "role", "reader")).slice(-3)).toEqual([
        ["configmaps", "[]", "[]", "[get list]"],
        ["pods/log", "[]", "[]", "[get list]"],
        ["deployments.apps", "[]", "[]", "[get list]"],
      ])
    })

    it("of the cluster name objects and paths, and unite others", async () => {
      await kubectl("create", "clusterrole", "one-secret", "--verb=get", "--resource=secrets", "--resource-name=one")
      await kubectl("create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics,/debug/*")
      await kubectl("create", "clusterrole", "team-tools", "--aggregation-rule=team=tools")
      await kubectl("label", "clusterrole", "one-secret", "scraper", "team=tools")
      const rules = async (): Promise<number> => JSON.parse(await kubectl("get", "clusterrole", "team-tools", "-o", "json")).rules?.length
      await expect.poll(rules, { timeout: 30_000 }).toBe(2)
      expect(await canI("alice", "get", "/metrics")).toBe("no 1")
      await kubectl("create", "clusterrolebinding", "tools", "--clusterrole=team-tools", "--group=team-a")
      expect(await canI("alice", "get", "/metrics")).toBe("yes 0")
      expect(await canI("alice", "get", "/debug/pprof")).toBe("yes 0")
      expect(await canI("alice", "get", "secrets/one", "-n", "team-b")).toBe("yes 0")
      expect(await canI("alice", "get", "secrets", "-n", "team-b")).toBe("no 1")
      expect(await kubectl("--context=alice", "get", "--raw", "/metrics")).toContain("# TYPE")
    })

    it("grant nothing that their author lacks", async () => {
      const edit = ["-n", "team-a", "create", "rolebinding", "more", "--clusterrole=edit", "--user=alice"]
      await kubectl("-n", "team-a", "create", "role", "binder", "--verb=create,get,update", "--resource=roles,rolebindings")
      await kubectl("-n", "team-a", "create", "rolebinding", "binders", "--role=binder", "--user=alice")
      expect(await refused("--context=alice", ...edit)).toMatch(
        /rolebindings\.rbac\.authorization\.k8s\.io "more" is forbidden: user "alice" \(groups=\["team-a" "system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:/,
      )
      const rules = ["--verb=get,delete", "--resource=configmaps"]
      expect(await refused("--context=alice", "-n", "team-a", "create", "role", "more", ...rules)).toContain(
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}',
      )
      expect(await kubectl("--context=alice", "-n", "team-a", "create", "role", "less", "--verb=get", "--resource=configmaps")).toBe(
        "role.rbac.authorization.k8s.io/less created\n",
      )
    })
  })

  describe("auth can-i", () => {
    it("lists what the user may do", async () => {
      await kubectl("create", "rolebinding", "lists", "-n", "team-b", "--clusterrole=system:kube-dns", "--user=lister")
      const listed = tableOf(await kubectl("auth", "can-i", "--list", "--as=lister", "-n", "team-b"))
      expect(listed[0]).toEqual(["Resources", "Non-Resource URLs", "Resource Names", "Verbs"])
      expect(listed).toContainEqual(["endpoints", "[]", "[]", "[list watch]"])
      expect(listed).toContainEqual(["selfsubjectreviews.authentication.k8s.io", "[]", "[]", "[create]"])
      expect(listed).toContainEqual(["[/healthz]", "[]", "[get]"])
      expect((await kubectl("auth", "can-i", "--list", "--as=lister", "-n", "team-a")).includes("endpoints")).toBe(false)
      expect(await kubectl("auth", "can-i", "--list", "--no-headers")).toMatch(
        /^\*\.\*\s+\[\]\s+\[\]\s+\[\*\]\n\s+\[\*\]\s+\[\]\s+\[\*\]\n/,
      )
    })

    it("answers by exit code alone, warns of words that it does not know, and asks as others", async () => {
      expect(await canI("alice", "list", "configmaps", "-n", "team-a", "--quiet")).toBe(" 0")
      expect(await canI("alice", "frob", "configmaps")).toBe("Warning: verb 'frob' is not a known verb\n\nno 1")
      expect(await canI("alice", "get", "spoons")).toBe("Warning: the server doesn't have a resource type 'spoons'\n\nno 1")
      expect(await canI("admin", "list", "configmaps", "-n", "team-a", "--as=bob")).toBe("no 1")
      expect(await canI("admin", "list", "configmaps", "-n", "team-a", "--as=bob", "--as-group=readers")).toBe("yes 0")
      expect(await canI("admin", "list", "configmaps", "-n", "team-a", "--as=system:serviceaccount:team-a:bot")).toBe("yes 0")
      expect(await canI("admin", "list", "configmaps", "-n", "team-a", "--as=system:serviceaccount:team-b:bot")).toBe("no 1")
    })
  })

  describe("impersonation", () => {
    it("is that of the user, groups, uid and extras given", async () => {
      const as = ["--as=bob", "--as-group=devs", "--as-group=testers", "--as-uid=7", "--as-user-extra=floor=2", "--as-user-extra=floor=3"]
      expect(await whoami("admin", ...as)).toEqual({
        username: "bob",
        uid: "7",
        groups: ["devs", "testers", "system:authenticated"],
        extra: { floor: ["2", "3"] },
      })
    })

    it("needs the right to each part of it", async () => {
      expect(await refused("--context=alice", "get", "configmaps", "--as=bob")).toBe(
        'Error from server (Forbidden): users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
      )
      await kubectl("create", "clusterrole", "as-bob", "--verb=impersonate", "--resource=users", "--resource-name=bob")
      await kubectl("create", "clusterrolebinding", "as-bob", "--clusterrole=as-bob", "--user=alice")
      expect(await whoami("alice", "--as=bob")).toMatchObject({ username: "bob", groups: ["system:authenticated"] })
      expect(await refused("--context=alice", "get", "configmaps", "--as=bob", "--as-group=devs")).toContain(
        'groups "devs" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope',
      )
      expect(await refused("--context=alice", "get", "configmaps", "--as=carol")).toContain('users "carol" is forbidden')
    })
  })

  it("auth reconcile creates, adds, and removes what is too much", async () => {
    const file = join(cluster.folder, "reconciled.yaml")
    const reconcile = async (manifest: string, ...flags: readonly string[]): Promise<string> => {
      await writeFile(file, manifest)
      const { code, stdout, stderr } = await kubectl.attempt(["auth", "reconcile", "-f", file, ...flags])
      expect(code).toBe(0)
      return stdout + stderr
    }
    const dry = await reconcile(reconciled("get, list", "carol"), "--dry-run=client")
    expect(dry).toMatch(/^clusterrole\.rbac\.authorization\.k8s\.io\/kept reconciled \(dry run\)\n/)
    expect(await refused("get", "clusterrole", "kept")).toContain("not found")
    const made = await reconcile(reconciled("get, list", "carol"))
    expect(made.match(/reconciliation required create/g)).toHaveLength(4)
    expect(await kubectl("get", "namespace", "team-new", "-o", "name")).toBe("namespace/team-new\n")
    expect(await reconcile(reconciled("get, list", "carol"))).not.toContain("required")
    const added = await reconcile(reconciled("get, watch", "dave"))
    expect(added).toContain("\tmissing rules added:\n\t\t{Verbs:[watch] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}")
    expect(await canI("admin", "list", "pods", "-n", "team-new", "--as=carol")).toBe("yes 0")
    expect(await canI("admin", "watch", "pods", "-n", "team-new", "--as=dave")).toBe("yes 0")
    const removed = await reconcile(reconciled("get, watch", "dave"), "--remove-extra-permissions", "--remove-extra-subjects")
    expect(removed).toContain(
      "\textra rules removed:\n\t\t{Verbs:[list] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}",
    )
    expect(removed).toContain("\textra subjects removed:\n\t\t{Kind:User APIGroup:rbac.authorization.k8s.io Name:carol Namespace:}")
    expect(await canI("admin", "get", "pods", "-n", "team-new", "--as=carol")).toBe("no 1")
    expect(await canI("admin", "list", "pods", "-n", "team-new", "--as=dave")).toBe("no 1")
    // A binding to another role cannot be changed, so it is replaced.
    const other = await reconcile(reconciled("get, watch", "dave", "view"))
    expect(other.match(/reconciliation required recreate/g)).toHaveLength(2)
  })

  describe("create token", () => {
    const create = async (...args: readonly string[]): Promise<string> =>
      (await kubectl("-n", "team-a", "create", "token", "bot", ...args)).trim()

    it("makes a token for the time, the audiences and the object that are asked for", async () => {
      const hour = claimsOf(await create())
      expect(Number(hour["exp"]) - Number(hour["iat"])).toBe(3600)
      const other = claimsOf(await create("--duration=2h", "--audience=vault", "--audience=other"))
      expect(Number(other["exp"]) - Number(other["iat"])).toBe(7200)
      expect(other["aud"]).toEqual(["vault", "other"])
      await kubectl("-n", "team-a", "create", "secret", "generic", "bound")
      const bound = ["--bound-object-kind=Secret", "--bound-object-name=bound"]
      const uid = await kubectl("-n", "team-a", "get", "secret", "bound", "-o", "jsonpath={.metadata.uid}")
      expect(claimsOf(await create(...bound, `--bound-object-uid=${uid}`))["kubernetes.io"]).toMatchObject({
        secret: { name: "bound", uid },
      })
      const shown = JSON.parse(await kubectl("-n", "team-a", "create", "token", "bot", "-o", "json"))
      expect(shown).toMatchObject({
        kind: "TokenRequest",
        metadata: { name: "bot", namespace: "team-a" },
        spec: { expirationSeconds: 3600 },
      })
    })

    it("says what is wrong", async () => {
      const attempt = (...args: readonly string[]): Promise<string> => refused("-n", "team-a", "create", "token", ...args)
      const failed = "error: failed to create token: "
      expect(await attempt("nobody")).toBe(`${failed}serviceaccounts "nobody" not found`)
      expect(await attempt("bot", "--duration=10s")).toBe(
        `${failed}TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes`,
      )
      expect(await attempt("bot", "--bound-object-kind=Pod", "--bound-object-name=none")).toBe(`${failed}pods "none" not found`)
      const wrong = ["--bound-object-kind=Secret", "--bound-object-name=bound", "--bound-object-uid=1"]
      expect(await attempt("bot", ...wrong)).toContain("the UID in the bound object reference (1) does not match the UID in record")
      expect(await attempt("bot", "--context=alice")).toContain('cannot create resource "serviceaccounts/token" in API group ""')
    })

    it("makes one that a token file signs in with, as long as it is for this server", async () => {
      await writeFile(files.token, await create())
      const bot = "system:serviceaccount:team-a:bot"
      expect(await whoami("file")).toMatchObject({
        username: bot,
        groups: ["system:serviceaccounts", "system:serviceaccounts:team-a", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=/)] },
      })
      expect(await kubectl("--context=file", "-n", "team-a", "get", "configmaps")).toBe("")
      expect(await refused("--context=file", "-n", "team-b", "get", "configmaps")).toContain(`User "${bot}" cannot list`)
      await writeFile(files.token, await create("--audience=vault"))
      expect(await refused("--context=file", "get", "configmaps")).toBe("error: You must be logged in to the server (Unauthorized)")
    })
  })

  describe("a credential plugin", () => {
    it("signs in with the token or the certificate that it prints, and learns of the cluster", async () => {
      const token = (await kubectl("-n", "team-b", "create", "token", "bot")).trim()
      await writeFile(files.credential, execCredential({ token }))
      expect(await whoami("plugin")).toMatchObject({ username: "system:serviceaccount:team-b:bot" })
      const { certificate, key } = await cluster.sign("O=plugged, CN=carol")
      await writeFile(files.credential, execCredential({ clientCertificateData: certificate, clientKeyData: key }))
      expect(await whoami("plugin")).toMatchObject({ username: "carol", groups: ["plugged", "system:authenticated"] })
    })

    it("that prints what is no credential, or one that the server does not take, signs in nobody", async () => {
      await writeFile(files.credential, execCredential({ token: "nobody's" }))
      expect(await refused("--context=plugin", "get", "configmaps")).toBe("error: You must be logged in to the server (Unauthorized)")
      await writeFile(files.credential, "{}")
      expect(await refused("--context=plugin", "get", "configmaps")).toContain("getting credentials")
    })
  })
})

/** A role of each kind, and bindings of one user to a role. */
function reconciled(verbs: string, user: string, role = "kept"): string {
  const rules = `[{apiGroups: [""], resources: [pods], verbs: [${verbs}]}]`
  const head = (kind: string): string => `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\n`
  const binding = `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user}}]
`
  return [
    `${head("ClusterRole")}metadata: {name: kept}\nrules: ${rules}\n`,
    `${head("RoleBinding")}metadata: {name: kept, namespace: team-b}\n${binding}`,
    `${head("Role")}metadata: {name: other, namespace: team-new}\nrules: ${rules}\n`,
    `${head("ClusterRoleBinding")}metadata: {name: kept}\n${binding}`,
  ].join("")
}
