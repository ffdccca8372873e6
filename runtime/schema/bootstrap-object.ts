/** Objects that a server makes at its start, as data of the program (`generated/bootstrap`). */

/** Labels and annotations are those of the manifest; those that all objects of a sort have are added to them. */
export interface BootstrapMeta {
  readonly name: string
  /** Neutral: `orch-system`. */
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** What a manifest says of an object of a kind. Names are neutral. */
export type BootstrapObject<Kind extends { readonly metadata: unknown }> = Omit<Kind, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata: BootstrapMeta
}
