/** Collects the paths of fields that a definition does not specify, in the reference's form. */
import { strictErrorsMax } from "../../base/limits.ts"
import { pathText } from "../../encoding/json/text.ts"

/**
 * The unknown fields of one object. The caller reports each as `unknown field "spec.foo"`: an error under
 * `fieldValidation=Strict`, a warning under Warn.
 */
export class UnknownNames {
  private readonly closed: string[] = []
  private open: string[] = []
  /** In the current group, paths from this one on would come after the listed ones. */
  private bound: string | undefined

  /** Records a path such as `spec.ports[0].foo`. */
  add(path: string): void {
    if (this.bound !== undefined && path >= this.bound) return
    this.open.push(path)
    // At twice the limit, sorts and truncates, so that a hostile object costs little memory.
    if (this.open.length < 2 * strictErrorsMax) return
    this.open = sortedPart(this.open)
    this.bound = this.open.at(-1)
  }

  /** Records the path of an unknown field. */
  addSteps(steps: readonly (string | number)[]): void {
    this.add(pathText(steps))
  }

  /** Ends a group: names of later groups follow, whatever their texts. The reference sorts the names of each pass. */
  endGroup(): void {
    this.closed.push(...sortedPart(this.open))
    this.open = []
    this.bound = undefined
  }

  /** At most `strictErrorsMax` paths, sorted within each group. */
  list(): string[] {
    return [...this.closed, ...sortedPart(this.open)].slice(0, strictErrorsMax)
  }
}

function sortedPart(paths: readonly string[]): string[] {
  return paths.toSorted().slice(0, strictErrorsMax)
}
