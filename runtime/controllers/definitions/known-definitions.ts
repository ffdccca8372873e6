/** The definitions of a store by name and by group. Names are unique within a group. */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"

type Named = ReadonlyMap<string, CustomResourceDefinition>

const none: Named = new Map()

export class KnownDefinitions {
  private readonly byName = new Map<string, CustomResourceDefinition>()
  private readonly byGroup = new Map<string, Map<string, CustomResourceDefinition>>()

  get(name: string): CustomResourceDefinition | undefined {
    return this.byName.get(name)
  }

  /** The group of a definition never changes, since it is a part of the name. */
  set(name: string, definition: CustomResourceDefinition): void {
    const { group } = definition.spec
    this.byName.set(name, definition)
    const others = this.byGroup.get(group)
    if (others === undefined) this.byGroup.set(group, new Map([[name, definition]]))
    else others.set(name, definition)
  }

  delete(name: string): void {
    const group = this.byName.get(name)?.spec.group ?? ""
    const others = this.byGroup.get(group)
    this.byName.delete(name)
    others?.delete(name)
    if (others?.size === 0) this.byGroup.delete(group)
  }

  inGroup(group: string): Named {
    return this.byGroup.get(group) ?? none
  }

  /** A copy, so that the caller may delete during iteration. */
  all(): readonly (readonly [name: string, definition: CustomResourceDefinition])[] {
    return [...this.byName]
  }
}
