import type { GuardName } from "../../model/guard-names.ts";
import { type CodeText, codeText } from "./code-text.ts";

const allowIt =
  "Correct the roster. If you have read the plan and want it, pass the `--allow` code that is printed. It covers the printed list, and nothing else.";

/** Checks between a mistake and the service. The first group holds single actions by a finding of the same code, the others refuse the plan. */
export const guards: Readonly<Record<GuardName, CodeText>> = {
  "allowed-email-domains": codeText(
    "the domain of an address is not allowed",
    "The settings list the allowed domains, and this one is not in the list. Both spellings of an international domain count as one. The guard holds the new user or member. It is off until you set domains.",
    "Correct the address, or add its domain to `guards.allowed-email-domains` in the settings (in CI: outside the checkout). To allow it once, pass the `--allow` code that the finding prints.",
    "guards:\n  allowed-email-domains: [acme.example, acme.co.uk]",
  ),
  "near-duplicate": codeText(
    "a similar user exists already",
    "The service has a user with the same name and a similar address. That user is not in the roster, is a leaver, or was just removed from it. The guard holds the new user, because a second account could not be deleted.",
    "Same person: write the existing address, or list it under `previously`. Another person: write `distinctFrom`.",
    "users:\n  - email: ada.byron@acme.example\n    distinctFrom: [ada.b@acme.example]",
  ),
  "privileged-roles": codeText(
    "a user would gain a privileged role",
    "This change gives a privileged role to a user who has none. By default, privileged roles are those that can administer others. The guard holds the change.",
    "Remove the role from the roster, or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout). To allow it once, pass the `--allow` code that the finding prints.",
    "guards:\n  privileged-roles:\n    people: [ada@acme.example]",
  ),
  "own-key": codeText(
    "roster would remove the privileged role of its own key",
    "roster works with this key. Without its privileged role, no later call could give the role back. The guard holds the change. It is always on.",
    "Keep the role in the roster, or run roster with the key of another administrator.",
  ),
  protected: codeText(
    "the settings protect this user or key",
    "The user or key, such as an emergency account, is listed under `protect`. The guard holds every action on it.",
    "Make the roster match the service here. Or remove the entry from `protect` in the settings (in CI: outside the checkout).",
  ),
  "renamed-team": codeText(
    "a new team looks like a renamed team",
    "At least two and at least half of its members are in a team that the roster no longer names. A rename would create a second team. The guard holds the new team.",
    "Write the old name under `previously`, or its `identifier`. If the team is new, pass the `--allow` code that the finding prints.",
    "teams:\n  - name: New name\n    previously: [Old name]",
  ),
  "max-new-users": codeText(
    "limit the number of new users",
    "Refuses a plan that creates more users than allowed. The default is 100. Created users cannot be deleted.",
    allowIt,
  ),
  "max-invitations": codeText(
    "limit the number of invitations",
    "Refuses a plan that adds more members than allowed. The default is 100. A user in two teams counts twice. A mail cannot be undone.",
    allowIt,
  ),
  "max-role-removals": codeText(
    "limit the number of keys that lose roles",
    "Refuses a plan that removes roles from more than 25 % of the managed keys and from more than 10 keys. Both limits are settings. An empty role set can cause this.",
    allowIt,
  ),
  "min-admins": codeText(
    "keep enough administrators",
    "Refuses a plan that removes the role from a user and leaves fewer active holders than you set. Off until you set a number.",
    allowIt,
  ),
  "required-admins": codeText(
    "keep named administrators",
    "Refuses a plan that may remove the last privileged role from a user under `guards.required-admins`. Off until you list users.",
    allowIt,
  ),
  "empty-roster": codeText(
    "do not apply an empty roster by mistake",
    "Refuses a plan of a roster without users if the state or the service has users. The path may be wrong, or a checkout failed. Always on.",
    "Check the path. If the roster must be empty, pass the `--allow` code that is printed.",
  ),
  "incomplete-snapshot": codeText(
    "do not trust a service that shows only a part",
    "Refuses a plan if more than half of the roster's users are neither shown nor proven absent. The limit is a setting. The key may see only one of several accounts.",
    "Use a key that can see all accounts. `roster doctor` shows what your key can see.",
  ),
};
