/** Users in reviews. */
import type { UserInfo } from "../../../generated/authentication.orch.io/v1/shared/user-info/types.ts"
import type { User } from "../../base/user.ts"

/** A user as reviews show one. */
export function userInfoOf({ name, uid = "", groups, extra }: User): UserInfo {
  return {
    ...(name !== "" && { username: name }),
    ...(uid !== "" && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  }
}
