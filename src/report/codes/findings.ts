import type { FindingCode } from "../../model/finding.ts";
import type { HoldName } from "../../model/guard-names.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** Findings about the service, accounts, users, leavers and users that the roster does not name. */
const aboutPeople = {
  "service-reset": codeText(
    "the service may have lost its data",
    "The service does not have most of the users that earlier runs recorded. At least three are missing, and more than half of those that were checked. The service may have lost its data, or this is another service. roster plans nothing.",
    "Check the endpoint, and restore the data of the service. If the service starts anew, pass the `--allow` code that the finding prints. The state then drops its records of users, teams, members and keys, and roster creates them again. Calls with an unknown outcome stay open.",
    "--allow service-reset#7f3a90c1d4e5",
  ),
  "account-unavailable": codeText(
    "an account cannot be used",
    "This API key cannot see the account, or the service shows it as not active. roster plans nothing in it.",
    "Correct the account in the roster, or its alias in the settings. Or activate it in the service. Or use a key that can see the account.",
  ),
  "incomplete-read": codeText(
    "the service did not show enough to decide",
    "A search failed its check, or a list is incomplete. A user or a team that is not shown may exist, and a user may have any role. roster creates nothing in doubt, and saves no snapshot of it.",
    "Try again later. If it stays, run `roster doctor`, or use a key that can see all users.",
  ),
  "ambiguous-user": codeText(
    "several users have the same address",
    "The service shows more than one user with this address. roster cannot know which one to change.",
    "Delete or rename all but one of them in the service.",
  ),
  "unsafe-address": codeText(
    "this address is not safe for a new user",
    "Mail servers, URLs or people could misread the address, so the invitation could reach a stranger. Examples: a `/`, a second `@`, an invisible character, a domain without a dot. An address with non-ASCII letters before the `@` is a notice only.",
    "Check the address letter by letter, and correct it in the roster. Write the full domain, such as `intranet.acme.example`.",
  ),
  "inactive-user": codeText(
    "the service shows a user of the roster as disabled or deleted",
    "The API cannot activate, restore or purge users. roster does not invite a disabled user to teams. A deleted user blocks the address, so roster does not create the user again.",
    "Activate, restore or purge the user in the service. Or list them under `leavers`, or remove them from the roster.",
  ),
  "invitation-pending": codeText(
    "a user has not accepted the invitation yet",
    "The service shows the user as invited or pending. roster manages their teams and keys as usual. After 14 days it needs action: many services cancel old invitations without notice.",
    "Wait, or ask the user to look for the mail. If it is old, send the invitation again in the service, or remove the user from the roster.",
  ),
  "former-address": codeText(
    "the service has the user under a former address",
    "An address under `previously` matches a user of the service. The API cannot change addresses. roster never creates a second account for a person.",
    "Change the address in the service. Or write the address of the service as `email` in the roster.",
  ),
  "user-missing": codeText(
    "a known user does not exist any more",
    "The state has this user, but the service does not. The user was deleted, or has another address now. roster does not recreate users on its own.",
    "Find out what happened. If the address changed, write the new one. To create a new user, pass the `--allow` code that the finding prints.",
    "--allow user-missing:ada@acme.example#7f3a90c1d4e5",
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
    "a name, a title or another field of a user differs",
    "The service shows another value than the roster. The API cannot change users. If the service only stores the value in its own form, it is a notice.",
    "Correct it in the service, or write the value of the service into the roster.",
  ),
  unmanaged: codeText(
    "a user or key is not in the roster",
    "`drift` and `--unmanaged` read all users and keys. No roster file names this one. roster does not change it. The owner of your API key is not reported.",
    "Do nothing, or add the user, the key under `keys`, or its team under `teams`.",
  ),
  "unmanaged-privilege": codeText(
    "a key has a privileged role that the roster does not give",
    "The role can administer others. The roster does not give it to this key, so nobody has reviewed it. roster does not remove it.",
    "Remove the role in the service, or add the key with its roles to the roster. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).",
  ),
  "leaver-remains": codeText(
    "a leaver still exists, or may still exist, in the service",
    "roster removes the roles from the leaver's keys. The API cannot delete users, end memberships or withdraw invitations. If the service shows the leaver as disabled, it is a notice: their keys give no access.",
    "Delete or disable the user in the service. The finding lists what they still have. If no read proves that they are gone, look in the service.",
  ),
  "date-ahead": codeText(
    "a `from` or `until` date is ahead",
    "Before `from`, roster does not create the user, add them to teams, or create a team without a started member. Or an `until` of a user, a role or a membership is at most 14 days away. From that date on, roster removes the roles.",
    "Do nothing. To change it, change or remove the date.",
    "users:\n  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, from: 2027-01-31 }",
  ),
  "user-removed": codeText(
    "a user was removed from the roster files",
    "The last applied roster had this user, and the service may still have them. Now no file names them. A file may be missing.",
    "List the user under `leavers`, or add them again. To stop managing them, pass the `--allow` code that the finding prints.",
    "--allow user-removed:ada@acme.example#7f3a90c1d4e5",
  ),
};

/** Findings about teams and their members. */
const aboutTeams = {
  "unproven-absence": codeText(
    "roster cannot prove that a team or a member is absent",
    "No read shows the team or the membership, and no read proves that it is absent. roster creates no team in doubt, because a second one could not be removed. It invites nobody in doubt.",
    "Look in the service. If it exists, write the `identifier` of the team, or the prefix of the member's team key as `key`. If it does not, pass the `--allow` code that the finding prints.",
    "--allow unproven-absence:pricing#7f3a90c1d4e5",
  ),
  "team-name-differs": codeText(
    "the service has the team under another name",
    "The team was renamed in the service, or the service has it under a name of `previously`. The API cannot rename teams. roster uses the team as it is.",
    "Do nothing, or rename the team in the service. Or write the new name, and the old one under `previously`.",
    "teams:\n  - name: New name\n    previously: [Old name]",
  ),
  "cannot-create-team": codeText(
    "roster cannot create a new team",
    "The API cannot create a team alone. A new team needs one newly created user of its account as its first member. That user must have no `ownKeyRoles`, and only roles that the service knows. Fewer such users than new teams are available. Or the `admin` of the team does not exist, and this plan does not create them.",
    "Resolve the finding about the admin or the first member, or choose another one. Or add a new user as `firstMember`; the finding prints the YAML. Or create the team in the service and write its `identifier`.",
  ),
  "team-identifier-unknown": codeText(
    "it is unknown which team of the service is meant",
    "The team exists, but the service did not show its identifier. Or several teams may be this one. roster adds no members to it, and does not create it again.",
    "Find the identifier in the service, and write it into the roster.",
    "teams:\n  - name: Pricing\n    identifier: TEAM_ID",
  ),
  "extra-member": codeText(
    "a team has a member that is not in the roster",
    "The roster lists all members of this team, and this user is not one of them. The API cannot remove members. If their key has no roles any more, it is a notice.",
    "Remove the member in the service, or add them to the roster. `open: true` allows extra members. `onRemoval: revoke` removes their roles.",
  ),
  "member-removed": codeText(
    "a member was removed outside roster",
    "roster added or saw this member earlier. Now the service shows no key of the team for them. roster does not send a second invitation on its own.",
    "Add the member in the service, or remove them from the team in the roster.",
  ),
};

/** Findings about keys and roles. */
const aboutKeys = {
  "unknown-role": codeText(
    "the service does not offer a role for this key",
    "The role is not in the role list of the service, or it is for another kind of key. Upper and lower case matter. roster does not change keys that need it, and creates no team with it.",
    "Correct or remove the role. The finding suggests the nearest name and lists the roles that the service offers. Or list a key of the right kind under `keys`.",
  ),
  "unknown-key": codeText(
    "the service does not know a key of the roster",
    "The roster names a key that the service does not show. Prefixes must match exactly.",
    "Correct the prefix, or remove the key from the roster.",
  ),
  "key-prefix-unknown": codeText(
    "the prefix of a key is unknown",
    "Neither the service nor the state shows the prefix of the team key or the own key. Or an answer shows several keys. Without the prefix, roster cannot change the roles.",
    "Find the prefix in the service, and write it as `key` of the member or of the user.",
    "members:\n  - { user: ada@acme.example, key: PREFIX }",
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
    "a first member's key has a privileged role for a short time",
    "A new key needs at least one role, and the roster gives none. The key has this role until the next step replaces it.",
    "Check who the first member is before you approve.",
  ),
  "unmanaged-key-changed": codeText(
    "the roles of a key outside the roster were changed",
    "The roster does not manage the roles of this key. They differ from the roles that roster last saw. roster does not change them.",
    "Find out who changed them. To accept the new roles, write them into the roster. Or accept the difference until a date: `accept:` in a roster file.",
  ),
};

/** Findings about the run itself. */
const aboutRuns = {
  "idle-allowance": codeText(
    "an `--allow` code has no effect",
    "`--allow` or ROSTER_ALLOW has a code that this plan does not need.",
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
    "roster state resolve ID done\nroster state resolve ID not-done",
  ),
  refused: codeText(
    "the service refused this request before",
    "The service refused the same request, and nothing has changed since. roster does not send it again on its own.",
    "Correct what the finding names. If you corrected the service, pass the `--allow` code that the finding prints.",
    "--allow refused:ada@acme.example#7f3a90c1d4e5",
  ),
  "not-selected": codeText(
    "the selection excludes something that this needs",
    "`--include` or `--exclude` leaves out a user or team that must be created first. Or it leaves a new team without its first member: then roster refuses the plan.",
    "Include it too, or plan without a selection.",
  ),
  "not-observed": codeText(
    "the plan rests on facts that this run did not read",
    "The service does not show everything. roster takes some memberships or roles from the state or the roster, and cannot see drift there. Or the service hides keys or roles, and privileged roles outside the roster with them. Or it is a preview of `plan --from`, which cannot be applied.",
    "Do nothing. Check privileged roles in the service, if that matters to you. If a snapshot is old, create a new one.",
  ),
  "unread-fields": codeText(
    "the service sends fields that roster does not read",
    "The service shows no keys, prefixes, roles or teams under the usual names. Its answers have other fields that look like them.",
    "If the fields are what they look like, add the printed lines to the settings (in CI: outside the checkout). Then plan again.",
  ),
};

/** What each finding is about, apart from those of guards that hold. */
export const findings: Readonly<Record<Exclude<FindingCode, HoldName>, CodeText>> = {
  ...aboutPeople,
  ...aboutTeams,
  ...aboutKeys,
  ...aboutRuns,
};
