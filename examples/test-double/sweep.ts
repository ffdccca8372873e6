import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node"

/** The annotation with the time after which a ConfigMap is not needed any more. */
export const expires = "example.com/expires"

/** Deletes the ConfigMaps of a namespace that have expired. Resolves with their names. */
export async function sweep(config: KubeConfig, namespace: string, now: Date): Promise<readonly string[]> {
  const api = config.makeApiClient(CoreV1Api)
  const { items } = await api.listNamespacedConfigMap({ namespace })
  const expired = items.flatMap(({ metadata }) => {
    const time = metadata?.annotations?.[expires]
    return time !== undefined && new Date(time) < now && metadata?.name !== undefined ? [metadata.name] : []
  })
  for (const name of expired) await api.deleteNamespacedConfigMap({ name, namespace })
  return expired
}
