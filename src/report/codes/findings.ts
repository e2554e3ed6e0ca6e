import type { FindingCode } from "../../model/finding.ts";
import type { HoldName } from "../../model/policy.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** Findings about the service, accounts, users, leavers and users that the roster does not name. */
const aboutPeople = {
  "service-reset": codeText(
    "the service may have lost its data",
    "The service does not have most of the users that earlier runs recorded. At least three are missing, and more than half of those that were checked. The service may have lost its data, or this is another service. roster plans nothing.",
    "Check the endpoint, and restore the data of the service. If the service starts anew, pass the `--allow` value that the finding prints. The state then drops its records of users, teams, members and keys, and roster creates them again. Calls with an unknown outcome stay open.",
    "--allow service-reset@3f2a90c1d4e5b678",
  ),
  "unknown-account": codeText(
    "the service does not show this account",
    "The roster or the settings name an account that this API key cannot see. roster plans nothing in it.",
    "Correct the account in the roster, or its alias in the settings. Or use a key that can see the account.",
  ),
  "inactive-account": codeText(
    "the account is not active",
    "The service shows the account with a status that allows no access. roster plans nothing in it.",
    "Activate the account in the service, or remove it from the roster.",
  ),
  "unproven-user": codeText(
    "roster cannot prove that a user is absent",
    "No read shows the user, and no read proves that they are absent. A search may have failed its check, or a list may be incomplete. roster does not create a user in doubt.",
    "Plan again. If it stays, run `roster doctor` and check what your key can see.",
  ),
  "ambiguous-user": codeText(
    "several users have the same address",
    "The service shows more than one user with this address. roster cannot know which one to change.",
    "Delete or rename all but one of them in the service.",
  ),
  "unsafe-address": codeText(
    "this address is not safe for a new user",
    "Mail servers, URLs or people could misread the address, so the invitation could reach a stranger. Examples: a `/`, a second `@`, an invisible character, a domain without a dot.",
    "Correct the address in the roster. If your network uses domains without a dot, set `singleLabelDomains: true` in the settings (in CI: outside the checkout).",
  ),
  "non-ascii-address": codeText(
    "a new address has non-ASCII letters before the @",
    "Many mail servers do not deliver to such an address. Some letters look like others.",
    "Check the address letter by letter.",
  ),
  "deleted-user": codeText(
    "a deleted user has this address",
    "The service still shows a deleted user with this address. It may refuse a new user. The API cannot restore or purge users.",
    "Restore or purge the user in the service. To create a new user, pass the `--allow` value that the finding prints.",
    "--allow recreate:ada@acme.example@3f2a90c1d4e5b678",
  ),
  "user-disabled": codeText(
    "a user of the roster is disabled in the service",
    "The service shows the user as inactive, rejected or disabled. The API cannot activate users. roster does not invite them to teams.",
    "Activate the user in the service, or list them under `leavers`.",
  ),
  "invitation-pending": codeText(
    "a user has not accepted the invitation yet",
    "The service shows the user as invited or pending. roster manages their teams and keys as usual.",
    "Wait, or ask the user to look for the mail.",
  ),
  "invitation-expired": codeText(
    "an invitation is older than allowed",
    "The user did not accept within `invitationDays`. Many services cancel such invitations without notice.",
    "Send the invitation again in the service, or remove the user from the roster.",
  ),
  "former-address": codeText(
    "the service has the user under a former address",
    "An address under `previously` matches a user of the service. The API cannot change addresses. roster never creates a second account for a person.",
    "Change the address in the service. Or write the address of the service as `email` in the roster.",
  ),
  "user-missing": codeText(
    "a known user does not exist any more",
    "The state has this user, but the service does not. The user was deleted, or has another address now. roster does not recreate users on its own.",
    "Find out what happened. If the address changed, write the new one. To create a new user, pass the `--allow` value that the finding prints.",
    "--allow recreate:ada@acme.example@3f2a90c1d4e5b678",
  ),
  "user-in-other-account": codeText(
    "the user is in another account",
    "The service shows the user in another account than the roster. The API cannot move users between accounts.",
    "Write the account of the service into the roster, or move the user in the service.",
  ),
  "user-adopted": codeText(
    "the user existed already",
    "roster tried to create the user, but the service already had one that no read had shown. roster created nothing and now manages the existing user.",
    "Plan again. roster now compares this user with the roster.",
  ),
  "profile-differs": codeText(
    "a name or title differs",
    "The service shows another first name, last name or title than the roster. The API cannot change users.",
    "Correct it in the service, or write the value of the service into the roster.",
  ),
  "profile-normalized": codeText(
    "the service changed the form of a field",
    "The service stored a field in its own form, such as with other spaces. It would do so again.",
    "Do nothing, or write the field as the service shows it.",
  ),
  "unmanaged-user": codeText(
    "the service has a user that is not in the roster",
    "`drift` and `--unmanaged` read all users. No roster file names this one. roster does not change them. The owner of your API key is not reported.",
    "Add the user to the roster, or do nothing.",
  ),
  "unmanaged-privilege": codeText(
    "a user outside the roster has a privileged role",
    "A key has a role that can administer others. The roster names neither the user nor the key, so nobody has reviewed it.",
    "Remove the role in the service, or add the key with its roles to the roster. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).",
  ),
  "user-list-incomplete": codeText(
    "the list of users is incomplete",
    "This run must check all users, but the service did not return a complete list. A missing user may have any role.",
    "Try again later, or use a key that can see all users.",
  ),
  "leaver-remains": codeText(
    "a leaver still exists in the service",
    "roster removes the roles from the leaver's keys. The API cannot delete users, end memberships or withdraw invitations.",
    "Delete or disable the user in the service. The finding lists what they still have.",
  ),
  "leaver-disabled": codeText(
    "a leaver is disabled in the service",
    "The service shows the leaver as inactive, rejected or disabled. Their keys give no access. roster keeps these keys without roles.",
    "Do nothing.",
  ),
  "leaver-unproven": codeText(
    "roster cannot prove that a leaver is gone",
    "No read shows the leaver, and no read proves that they are absent.",
    "Plan again. If it stays, check what your key can see, and look in the service.",
  ),
  "starts-later": codeText(
    "a user or a team starts later",
    "The `from` date has not come. Until then, roster does not create the user or add them to teams. A team without a started member waits too.",
    "Do nothing. To start now, change or remove `from`.",
    "users:\n  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, from: 2027-01-31 }",
  ),
  "leaving-soon": codeText(
    "a user leaves soon",
    "The `until` date of the user is at most 14 days away. From that date on the user is a leaver. roster then removes the roles from their keys.",
    "Do nothing if they leave. If they stay, change or remove `until`.",
  ),
  "access-ends-soon": codeText(
    "a role or a membership ends soon",
    "The `until` date is at most 14 days away. From that date on, roster removes the roles from the key.",
    "Do nothing if it may end. To keep it, change or remove `until`.",
    "roles: [DEVELOPER, { role: ACCOUNT_ADMIN, until: 2027-01-31 }]",
  ),
  "user-removed": codeText(
    "a user was removed from the roster files",
    "The last applied roster had this user, and the service may still have them. Now no file names them. A file may be missing.",
    "List the user under `leavers`, or add them again. To stop managing them, pass the `--allow` value that the finding prints.",
    "--allow release:ada@acme.example@3f2a90c1d4e5b678",
  ),
};

/** Findings about teams and their members. */
const aboutTeams = {
  "unproven-team": codeText(
    "roster cannot prove that a team is absent",
    "No read shows the team, and no read proves that it is absent. roster does not create a team in doubt, because a second one could not be removed.",
    "If the team exists, write its `identifier` into the roster. If it does not, pass the `--allow` value that the finding prints.",
    "--allow absent:team:Pricing@3f2a90c1d4e5b678",
  ),
  "incomplete-list": codeText(
    "a team cannot be proven absent: the user list is incomplete",
    "roster knows a team from the keys of its members. The list of users is incomplete, so a member may be missing.",
    "Plan again. If it stays, run `roster doctor`.",
  ),
  "ambiguous-team": codeText(
    "several teams have this name",
    "The service shows more than one team with this name in the account. roster cannot know which one you mean.",
    "Write the `identifier` of the right team into the roster.",
    "teams:\n  - name: Pricing\n    identifier: TEAM_ID",
  ),
  "former-team-name": codeText(
    "the service has the team under a former name",
    "A name under `previously` matches the team. The API cannot rename teams. roster uses the team as it is.",
    "Do nothing, or rename the team in the service.",
  ),
  "team-renamed": codeText(
    "the team has another name in the service",
    "The `identifier` matches a team with another name. It was renamed in the service. roster uses the team as it is.",
    "Write the new name, and the old one under `previously`.",
    "teams:\n  - name: New name\n    previously: [Old name]",
  ),
  "team-without-founder": codeText(
    "a new team has no founder",
    "The API cannot create a team alone. A new team needs one newly created user of its account as its first member. That user must have no `ownKeyRoles`. Fewer such users than new teams are available. Or the roster gives that user a role that the service does not know.",
    "Create the team in the service and write its `identifier`. Or add a new user as its `founder`; the finding prints the YAML. Or correct the roles.",
  ),
  "team-without-admin": codeText(
    "the admin of a new team does not exist",
    "A new team needs its `admin` first, unless the founder is the admin. This user does not exist, and this plan does not create them.",
    "Resolve the finding about that user, or choose another `admin`.",
  ),
  "team-identifier-unknown": codeText(
    "the identifier of a team is unknown",
    "The team exists, but the service did not show its identifier. Without it, roster cannot add members. roster does not create the team again.",
    "Find the identifier in the service, and write it into the roster.",
  ),
  "extra-member": codeText(
    "a team has a member that is not in the roster",
    "The roster lists all members of this team, and this user is not one of them. The API cannot remove members.",
    "Remove the member in the service, or add them to the roster. `open: true` allows extra members. `onRemoval: disarm` removes their roles.",
  ),
  "extra-member-without-roles": codeText(
    "an extra member has no roles any more",
    "The team has `onRemoval: disarm`, so the key of this extra member has no roles. The API cannot end the membership.",
    "Remove the member in the service.",
  ),
  "member-removed": codeText(
    "a member was removed outside roster",
    "roster added or saw this member earlier. Now the service shows no key of the team for them. roster does not send a second invitation on its own.",
    "Add the member in the service, or remove them from the team in the roster.",
  ),
  "unknown-membership": codeText(
    "it is unknown whether a user is a member",
    "The service does not show the teams of keys, and the state has no record. roster does not invite a user in doubt.",
    "If they are a member, write the prefix of their team key as `key`. If not, pass the `--allow` value that the finding prints.",
    "--allow absent:member:Pricing/ada@acme.example@3f2a90c1d4e5b678",
  ),
};

/** Findings about keys and roles. */
const aboutKeys = {
  "unknown-role": codeText(
    "the service does not know a role",
    "The roster has a role that is not in the role list of the service. Upper and lower case matter. roster does not change keys that need this role, and creates no team with it.",
    "Correct the role. The finding suggests the nearest name and lists the roles that the service offers.",
  ),
  "role-kind-mismatch": codeText(
    "a role is for another kind of key",
    "The service offers this role for one kind of key only. The roster gives it to another kind. roster does not change these keys.",
    "Remove the role there, or list a key of the right kind under `keys`.",
  ),
  "ambiguous-key": codeText(
    "several keys match",
    "The service shows several keys. roster cannot know which one came with the user or belongs to the team.",
    "Find the key in the service, and write its prefix as `key` into the roster.",
  ),
  "unknown-key": codeText(
    "the service does not know a key of the roster",
    "The roster names a key that the service does not show. Prefixes must match exactly.",
    "Correct the prefix, or remove the key from the roster.",
  ),
  "key-prefix-unknown": codeText(
    "the prefix of a team key is unknown",
    "The user is a member, but the service does not show the prefix of their team key. Without it, roster cannot change its roles.",
    "Find the prefix in the service, and write it as `key` of the member.",
    "members:\n  - { user: ada@acme.example, key: PREFIX }",
  ),
  "own-key-unknown": codeText(
    "the prefix of a user's own key is unknown",
    "The roster has `ownKeyRoles` for this user. Neither the service nor the state shows their own key.",
    "Find the prefix in the service, and write it as `key` of the user.",
  ),
  "key-owner-differs": codeText(
    "a key belongs to another user or team",
    "The roster names a key, but the service or the state shows another owner. The API cannot move keys. roster does not change its roles.",
    "Correct the owner or the prefix in the roster.",
  ),
  "conflicting-roles": codeText(
    "one key is given different roles",
    "Several places in the roster give this key different roles. Or the roster gives roles to a key of a leaver.",
    "Make the places agree, or correct the wrong prefix.",
  ),
  "roles-kept-by-service": codeText(
    "the service kept roles that roster removed",
    "After the change, the key still has roles that roster removed. roster does not send the same change again. A privileged role that stays is a blocking problem.",
    "Remove these roles in the service, or add them to the roster.",
  ),
  "key-without-roles": codeText(
    "a key has no roles, and the roster gives none",
    "An earlier run removed all roles of this key, for example of a leaver who came back. The roster does not say which roles it needs now.",
    "Write `roles` for the user or the member. Write `[]` for no roles.",
  ),
  "temporary-privilege": codeText(
    "a founder's key has a privileged role for a short time",
    "A new key needs at least one role, and the roster gives none. The key has this role until the next step replaces it.",
    "Check who the founder is before you approve.",
  ),
  "unmanaged-key": codeText(
    "a user has a key that is not in the roster",
    "`drift` and `--unmanaged` read all keys. roster does not change this one.",
    "To manage its roles, add it under `keys`, or add its team under `teams`.",
  ),
  "unmanaged-key-privilege": codeText(
    "a key has a privileged role that the roster does not give",
    "A user of the roster has a key with a role that can administer others. The roster does not give this role, and roster does not remove it.",
    "Remove the role in the service, or add the key with its roles under `keys`. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).",
  ),
  "unmanaged-key-changed": codeText(
    "the roles of a key outside the roster were changed",
    "The roster does not manage the roles of this key. They differ from the roles that roster last saw. roster does not change them.",
    "Find out who changed them. To accept the new roles, write them into the roster. Or accept the difference with `roster drift acknowledge`.",
  ),
  "privileges-unknown": codeText(
    "the service does not show privileged roles",
    "The service does not show the keys of users, or the roles of keys. roster cannot see privileged roles outside the roster.",
    "Check privileged roles in the service, if that matters to you.",
  ),
};

/** Findings about the run itself. */
const aboutRuns = {
  "idle-allowance": codeText(
    "an `--allow` value has no effect",
    "`--allow` or ROSTER_ALLOW allows something that this plan does not need.",
    "Remove it.",
  ),
  "write-pending": codeText(
    "the service does not show a recent change yet",
    "roster changed something a short time ago, and the service confirmed it. Reads do not show it yet. Until the consistency window ends, roster does not treat it as drift and sends nothing again.",
    "Plan again later. If reads are slower on this service, set ROSTER_CONSISTENCY, or `service.consistency` in the settings (in CI: outside the checkout).",
  ),
  "unknown-outcome": codeText(
    "the outcome of a call is unknown",
    "roster sent a call and got no clear answer. Reading the service did not resolve it. roster does not send it again, because the call may have sent a mail.",
    "Plan again later. If it stays, look in the service and record what happened.",
    "roster state resolve ID --done\nroster state resolve ID --not-done",
  ),
  refused: codeText(
    "the service refused this request before",
    "The service refused the same request, and nothing has changed since. roster does not send it again on its own.",
    "Correct what the finding names. If you corrected the service, pass the `--allow` value that the finding prints.",
    "--allow retry:user:ada@acme.example@3f2a90c1d4e5b678",
  ),
  "not-selected": codeText(
    "the selection excludes something that this needs",
    "`--include` or `--exclude` leaves out a user or team that must be created first.",
    "Include it too, or plan without a selection.",
  ),
  "facts-from-state": codeText(
    "the plan uses facts from the state",
    "The service does not show everything. roster takes some memberships or roles from the state or the roster. It cannot see drift there.",
    "Do nothing.",
  ),
  "unread-fields": codeText(
    "the service sends fields that roster does not read",
    "The service shows no keys, prefixes, roles or teams under the usual names. Its answers have other fields that look like them.",
    "If the fields are what they look like, add the printed lines to the settings (in CI: outside the checkout). Then plan again.",
  ),
  "from-snapshot": codeText(
    "this plan is a preview from a snapshot",
    "`plan --from FILE` does not read the service. It uses what `roster snapshot` read earlier. Such a plan cannot be applied.",
    "Do nothing. If the snapshot is old, create a new one.",
  ),
};

/** What each finding is about, apart from those of guards that hold. */
export const findings: Readonly<Record<Exclude<FindingCode, HoldName>, CodeText>> = {
  ...aboutPeople,
  ...aboutTeams,
  ...aboutKeys,
  ...aboutRuns,
};
