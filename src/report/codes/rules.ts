import type { RuleName } from "../../model/action.ts";
import type { GuardName } from "../../model/policy.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** The rules by which actions are planned. */
export const rules: Readonly<Record<RuleName, CodeText>> = {
  "absent-user": codeText(
    "a user of the roster does not exist yet",
    "The roster lists the user, and the service has proven that nobody has this address or a former one. The proof is an exact search that was checked to work, or a complete list. roster creates the user once.",
    "Check the address. If the user exists under another address, write that one under `previously`.",
  ),
  "recreated-user": codeText(
    "you allowed roster to create a user again",
    "The service does not have the user. The state shows that they existed before. You passed `--allow recreate:…` for this plan.",
    "Check that you want a new user. If only the address changed, write the new `email` and the old one under `previously`.",
  ),
  "founds-team": codeText(
    "a new team is created with a new user",
    "The API creates a team only together with one newly created user, its founder. The service does not have this team, or you allowed it with `--allow`. roster chose the founder, or `founder` names them.",
    "Check the team and the founder. To choose another founder, write `founder: EMAIL`. If the team has another name, write `previously` or `identifier`.",
  ),
  "missing-member": codeText(
    "members of the roster are not in the team",
    "The roster names these members. The service shows no key of the team for them. Where it shows no keys, the state or `--allow` says so. One call adds them, and each gets one mail.",
    "Check the addresses before you approve. A mail cannot be undone.",
  ),
  "joins-new-team": codeText(
    "members join a team that this plan creates",
    "A new team has only its founder as a member. One more call adds the other members, and each gets one mail.",
    "Do nothing. If creating the team fails, roster skips this call and plans it again next time.",
  ),
  "roles-differ": codeText(
    "a key has other roles than the roster",
    "The roster gives exact roles for this key. The service or the state shows others. The call sends the whole list, so it removes every other role.",
    "Do nothing if the roster is right. If the key is right, write its roles into the roster.",
  ),
  "roles-unknown": codeText(
    "the roles of a key are unknown",
    "The roster gives exact roles for this key. Neither the service nor the state shows its current roles. roster sends the roles once and records them.",
    "Do nothing.",
  ),
  "roles-of-new-key": codeText(
    "a new key gets its roles",
    "A new user and a new member each get a key with roles that the service chooses. roster replaces them with the roles of the roster, unless they already match.",
    "Do nothing. If the service does not show the prefix of the new key, a finding says so.",
  ),
  "roles-of-founder": codeText(
    "the founder's key gets exactly the roles of the roster",
    "When a team is created, the service may add roles of its own to the founder's key. roster replaces them, unless they already match.",
    "Do nothing.",
  ),
  "leaver-roles-removed": codeText(
    "roster removes the roles of a leaver",
    "The user is under `leavers`, or their `until` date has come. A key of theirs has roles, or may have. The API cannot delete keys or memberships, so roster removes the roles.",
    "Do nothing. The finding leaver-remains lists what needs manual action.",
  ),
  "extra-member-roles-removed": codeText(
    "roster removes the roles of an extra member",
    "The user has a key of this team, but the roster does not list them. The team has `onRemoval: disarm`. The API cannot end the membership.",
    "Remove the member in the service, or add them to the roster.",
  ),
};

const allowIt =
  "Correct the roster. If you have read the plan and want it, pass the `--allow` value that is printed. It is valid for this plan only.";

/** Checks between a mistake and the service. The first group holds single actions, the others refuse the plan. */
export const guards: Readonly<Record<GuardName, CodeText>> = {
  "allowed-email-domains": codeText(
    "invite only allowed domains",
    "Holds each new user or member whose domain is not under `guards.allowed-email-domains`. Off until you set domains. Both spellings of an international domain count as one.",
    "Correct the address, or add its domain to the settings (in CI: outside the checkout).",
    "guards:\n  allowed-email-domains: [acme.example]",
  ),
  "near-duplicate": codeText(
    "create no second account for a person",
    "Holds a new user if the service has a user with the same name and a similar address. That user is not in the roster, is a leaver, or was just removed from it.",
    "Write the existing address, or list it under `previously`. If they are two people, write `distinctFrom`.",
  ),
  "privileged-roles": codeText(
    "give no new administrator rights by mistake",
    "Holds a change that gives a privileged role to a user who has none. By default, privileged roles are those that can administer others.",
    "List the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout), or remove the role from the roster.",
  ),
  "own-key": codeText(
    "keep the rights of the key that roster uses",
    "Holds a change that removes the privileged role from the key that roster uses. No later call could give it back. Always on.",
    "Keep the role in the roster, or run roster with the key of another administrator.",
  ),
  protected: codeText(
    "do not change protected users and keys",
    "Holds every action on a user or key under `protect`, such as an emergency account.",
    "Make the roster match the service here. Or remove the entry from `protect` in the settings (in CI: outside the checkout).",
  ),
  "renamed-team": codeText(
    "do not create a renamed team again",
    "Holds a new team if most of its members are in a known team that the roster no longer names.",
    "Write the old name under `previously`, or write the `identifier`.",
  ),
  "unproven-team": codeText(
    "create no team in doubt",
    "Holds a new team if no read shows it and no read proves that it is absent. roster keeps its founder for it.",
    "Write its `identifier`. If the team does not exist, pass the `--allow` value that the finding prints.",
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
    "Check the path. If the roster must be empty, pass the `--allow` value that is printed.",
  ),
  "incomplete-snapshot": codeText(
    "do not trust a service that shows only a part",
    "Refuses a plan if more than half of the roster's users are neither shown nor proven absent. The limit is a setting. The key may see only one of several accounts.",
    "Use a key that can see all accounts. `roster doctor` shows what your key can see.",
  ),
};
