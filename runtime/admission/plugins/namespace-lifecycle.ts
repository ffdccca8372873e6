/** Refuses creations in a missing or terminating namespace; catalog `admission.yaml` NamespaceLifecycle. */
import { notFound } from "../../base/errors.ts"
import { typed } from "../../schema/typed.ts"
import type { Namespace } from "../../../generated/core/v1/namespace/types.ts"
import type { RequestAttributes } from "../plugin.ts"
import type { AdmissionPluginFactory, AdmissionReader } from "../plugin-deps.ts"
import { refused } from "../refusal.ts"

const namespaces = { group: "", version: "v1", resource: "namespaces" }

/** Throws 404 or 403 for creations, and 403 for the deletion of a namespace that the system needs. */
export const namespaceLifecycle: AdmissionPluginFactory = ({ vendor, reader }) => {
  const immortal = new Set(["default", vendor.namespace("orch-system"), vendor.namespace("orch-public")])
  return {
    name: "NamespaceLifecycle",
    operations: ["CREATE", "DELETE"],
    mutate(attributes) {
      const { operation, namespace, name, resource } = attributes
      if (operation === "DELETE") {
        const isNamespace = resource.group === "" && resource.resource === "namespaces"
        if (isNamespace && immortal.has(name)) throw refused(attributes, "this namespace may not be deleted")
        return undefined
      }
      // A refusal would reveal which namespaces exist.
      if (resource.group === "authorization.orch.io" && resource.resource === "localsubjectaccessreviews") return undefined
      if (namespace === "" || !reader.has(namespaces)) return undefined
      const found = reader.peek(namespaces, "", namespace)
      if (found instanceof Promise) return found.then((fields) => judge(attributes, reader, fields?.field("status.phase")))
      return judge(attributes, reader, found?.field("status.phase"))
    },
  }
}

/** Before it refuses, reads the newest state: another server may have created the namespace, perhaps again. */
function judge(attributes: RequestAttributes, reader: AdmissionReader, phase: string | undefined): undefined | Promise<undefined> {
  return phase !== undefined && phase !== terminating ? undefined : judgeNewest(attributes, reader)
}

async function judgeNewest(attributes: RequestAttributes, reader: AdmissionReader): Promise<undefined> {
  const { namespace } = attributes
  const newest = await reader.get(namespaces, "", namespace)
  if (newest === undefined) throw notFound({ group: "", resource: "namespaces", name: namespace })
  if (typed<Namespace>(newest).status.phase !== terminating) return
  throw refused(attributes, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" },
  ])
}

const terminating = "Terminating"
