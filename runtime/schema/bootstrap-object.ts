/** Objects that a server makes at its start, as data of the program (`generated/bootstrap`). */

/** Labels and annotations of the manifest; labels and annotations that all objects of a sort have are added to them. */
export interface BootstrapMeta {
  readonly name: string
  /** Neutral: `orch-system`. */
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The part of a manifest that depends on the object's kind. Names are neutral. */
export type BootstrapObject<Kind extends { readonly metadata: unknown }> = Omit<Kind, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata: BootstrapMeta
}
