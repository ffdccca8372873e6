/** The options of `--help`'s group Audit; specification section 6.3. */
import { option } from "./option.ts"
import { boolean, decimal, duration, oneOf, text, wholeNumber } from "./value-types.ts"

const group = "Audit"
const file = text("file")
const mode = oneOf("batch", "blocking", "blocking-strict")
/** The two names mean the same: events have the name of the vendor. */
const version = oneOf("audit.orch.io/v1", "audit.k8s.io/v1")
const count = wholeNumber({ min: 1, max: 1_000_000 })
const countOrNone = wholeNumber({ min: 0, max: 1_000_000 })
const bytes = wholeNumber({ min: 1, max: 1_000_000_000 })

export const auditOptions = {
  "audit-policy-file": option({
    type: file,
    group,
    default: "",
    help: "YAML or JSON file with the audit policy: which requests are recorded, and how much of them (docs/AUDIT.md). Without it nothing is recorded. Read again when it changes.",
  }),
  "audit-log-path": option({
    type: file,
    group,
    default: "",
    help: "File to which audit events are written, readable by its owner only; - is standard output.",
  }),
  "audit-log-format": option({ type: oneOf("json", "legacy"), group, default: "json", help: "One event per line, as JSON or as text." }),
  "audit-log-mode": option({
    type: mode,
    group,
    default: "blocking",
    help: "blocking writes the first event of a change before the change is made, and the others at the end of their turn; batch writes later. With blocking-strict a request whose first event cannot be written is refused with 500.",
  }),
  "audit-log-version": option({
    type: version,
    group,
    default: "audit.orch.io/v1",
    help: "Group and version of events. The two names mean the same; events have that of --vendor.",
  }),
  "audit-log-maxage": option({
    type: countOrNone,
    group,
    default: 0,
    help: "Days for which rotated files are kept; 0 keeps them however old they are.",
  }),
  "audit-log-maxbackup": option({ type: countOrNone, group, default: 0, help: "Number of rotated files that are kept; 0 means all." }),
  "audit-log-maxsize": option({ type: countOrNone, group, default: 0, help: "Megabytes after which the file is rotated; 0 means 100." }),
  "audit-log-compress": option({ type: boolean, group, default: false, help: "Compress rotated files with gzip." }),
  "audit-log-batch-buffer-size": option({
    type: count,
    group,
    default: 10_000,
    help: "Events that may wait in mode batch; further ones are dropped and counted.",
  }),
  "audit-log-batch-max-size": option({ type: count, group, default: 1, help: "Events that are written at a time in mode batch." }),
  "audit-log-batch-max-wait": option({
    type: duration({ minMs: 0 }),
    group,
    default: 0,
    help: "How long events of a batch that is not full wait in mode batch.",
  }),
  "audit-log-batch-throttle-enable": option({ type: boolean, group, default: false, help: "Limit the batches per second in mode batch." }),
  "audit-log-batch-throttle-qps": option({ type: decimal, group, default: 0, help: "Batches per second." }),
  "audit-log-batch-throttle-burst": option({
    type: countOrNone,
    group,
    default: 0,
    help: "Batches that may be written at once after a pause.",
  }),
  "audit-log-truncate-enabled": option({ type: boolean, group, default: false, help: "Shorten events that are too large." }),
  "audit-log-truncate-max-event-size": option({
    type: bytes,
    group,
    default: 102_400,
    help: "Bytes of an event. A larger one loses its request and response; if that is not enough, it is dropped and counted.",
  }),
  "audit-log-truncate-max-batch-size": option({
    type: bytes,
    group,
    default: 10_485_760,
    help: "Bytes of a batch; a larger one is split.",
  }),
  "audit-webhook-config-file": option({
    type: file,
    group,
    default: "",
    help: "Kubeconfig of the server to which audit events are sent.",
  }),
  "audit-webhook-mode": option({
    type: mode,
    group,
    default: "batch",
    help: "As --audit-log-mode. Every mode but batch makes requests wait for the other server.",
  }),
  "audit-webhook-version": option({
    type: version,
    group,
    default: "audit.orch.io/v1",
    help: "Group and version of events that are sent, as --audit-log-version.",
  }),
  "audit-webhook-batch-buffer-size": option({
    type: count,
    group,
    default: 10_000,
    help: "Events that may wait in mode batch; further ones are dropped and counted.",
  }),
  "audit-webhook-batch-max-size": option({ type: count, group, default: 400, help: "Events that are sent at a time in mode batch." }),
  "audit-webhook-batch-max-wait": option({
    type: duration({ minMs: 0 }),
    group,
    default: 30_000,
    help: "How long events of a batch that is not full wait in mode batch.",
  }),
  "audit-webhook-batch-throttle-enable": option({
    type: boolean,
    group,
    default: true,
    help: "Limit the batches per second in mode batch.",
  }),
  "audit-webhook-batch-throttle-qps": option({ type: decimal, group, default: 10, help: "Batches per second." }),
  "audit-webhook-batch-throttle-burst": option({
    type: countOrNone,
    group,
    default: 15,
    help: "Batches that may be sent at once after a pause.",
  }),
  "audit-webhook-initial-backoff": option({
    type: duration({ minMs: 1 }),
    group,
    default: 10_000,
    help: "How long to wait before a batch is sent again for the first time; each further wait is half as long again, and after four attempts more the events are dropped and counted.",
  }),
  "audit-webhook-truncate-enabled": option({ type: boolean, group, default: false, help: "Shorten events that are too large." }),
  "audit-webhook-truncate-max-event-size": option({
    type: bytes,
    group,
    default: 102_400,
    help: "Bytes of an event. A larger one loses its request and response; if that is not enough, it is dropped and counted.",
  }),
  "audit-webhook-truncate-max-batch-size": option({
    type: bytes,
    group,
    default: 10_485_760,
    help: "Bytes of a batch; a larger one is split.",
  }),
} as const
