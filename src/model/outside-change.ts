import type { EmailKey } from "./address.ts";
import { boolean, described, list, object, oneOf, optional, type Static, string, typed } from "./declare.ts";
import { roleList } from "./role-set.ts";

export type OutsideChange = Static<typeof outsideChange>;
export const outsideChange = object(
  "One change that roster did not make. It compares the service with what roster last wrote or saw.",
  {
    is: described(
      oneOf(
        "roles-changed",
        "privileged-roles-found",
        "privileged-roles-left",
        "key-removed",
        "member-added",
        "member-removed",
        "user-removed",
        "user-replaced",
        "email-changed",
        "account-changed",
        "profile-changed",
        "team-renamed",
      ),
      "What happened. `privileged-roles-found`: the key has privileged roles that the roster does not give; roster never saw the key before. `privileged-roles-left`: the roster gave these roles before, and no longer does. `user-replaced`: another user has the address now.",
    ),
    person: optional(
      described(
        object({ address: typed<EmailKey>(string("Folded.")), email: string() }),
        "The user whose access or account was changed.",
      ),
    ),
    team: optional(string("The name of the team that it is about.")),
    key: optional(
      described(
        object({ prefix: string(), isOwn: boolean("Whether it is the user's own key.") }),
        "The key that it is about.",
      ),
    ),
    gained: described(
      roleList,
      "Roles that the service shows now and that roster neither wrote nor saw. Or privileged roles that the roster does not give.",
    ),
    lost: described(roleList, "Roles that roster last wrote or saw, and that the service does not show any more."),
    privileged: described(roleList, "Those of `gained` that let their holder administer others."),
    to: optional(string("The new address, account or team name.")),
    fields: optional(list(string(), "The changed fields of a profile.")),
  },
);
