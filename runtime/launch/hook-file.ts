/** Files of options that name a web hook of the server itself. */
import type { Logger } from "pino"
import { textOfFileFault } from "../base/file-text.ts"
import { loggedText } from "../base/confidential.ts"
import type { Clock } from "../base/clock.ts"
import { deduplicateLog } from "../controllers/log-deduplication.ts"
import { type HookFile, readHookFile } from "../hooks/kubeconfig.ts"
import type { Options } from "../options/table.ts"
import { takenUp } from "./changed-file.ts"
import { StartError } from "../base/start-error.ts"

export type HookFileOption = "audit-webhook-config-file" | "authentication-token-webhook-config-file"

export interface OpenedHookFile {
  readonly file: HookFile
  /** Called when the hook, or a file that the kubeconfig names, cannot be reached. Logs once a minute. */
  readonly onFault: (error: unknown) => void
}

/** Reads the file of an option; undefined when it is not given. Throws StartError. The caller stops the file. */
export function openHookFile(
  option: HookFileOption,
  { options, clock, log }: { readonly options: Options; readonly clock: Clock; readonly log: Pick<Logger, "info" | "warn"> },
): OpenedHookFile | undefined {
  const path = options[option]
  if (path === "") return undefined
  const onFault = rareFaults(`--${option}: the web hook cannot be asked`, { clock, log })
  const onChange = (): void => log.info(takenUp(option))
  try {
    return { file: readHookFile({ path, clock, onFault, onChange }), onFault }
  } catch (error) {
    throw new StartError(`--${option}: ${textOfFileFault(path, error)}`)
  }
}

/** Logs faults with this text, each once a minute. */
export function rareFaults(
  text: string,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Logger, "warn"> },
): (error: unknown) => void {
  const rare = deduplicateLog({ warn: (values, said) => log.warn(values, said) }, clock)
  return (error) => rare.warn({ error: loggedText(error) }, text)
}
