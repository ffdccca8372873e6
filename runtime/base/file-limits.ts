/** Limits of the files that options name. */
import { yamlBodyBytesMax } from "./limits.ts"

/**
 * Bytes of a file of YAML that configures the server: options, policies, issuers, authorizers. These are as slow to
 * parse as bodies, and are parsed again while requests wait: 1 MiB takes a second. The largest real ones have some
 * 300 KB. Kubeconfigs of web hooks have less (`hookFileBytesMax`).
 */
export const yamlFileBytesMax = yamlBodyBytesMax

/** Bytes of any other file that an option names: certificates, keys, tokens, lines of policies. */
export const optionFileBytesMax = 8 * 1024 * 1024
