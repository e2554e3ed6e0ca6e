import { guardsInCi, holds, inCi, renamed, renamedYaml } from "./guards.ts";
import { notice, noticeOrTask, task, taskOrNotice } from "./row.ts";

const cannotRecreate =
  "\nIf the address in the roster is wrong, correct it. If the user has left, remove <email> from the roster. To create <email> again, {run}.";
const waitForReads =
  "The service may show the change as late as <until>. roster does not send the call again.\nPlan again after that time.";
const extraMember =
  "In the service, <email> is a member of <team> with the key <prefix>[[ (<roles>)]]. [[The roster lists this member only from <from> on. ]]";
const removeMember =
  "roster cannot remove a member.\nIf <email> must not be in <team>, remove the member in the web interface of the service.";
const addMember =
  "If <email> belongs in the team, correct the roster: list this user [[under `<users>` and ]]in the `members` of <team>.";
const hideByRemoval =
  "roster cannot remove a member.\nTo end this notice, remove the member in the web interface of the service.";
const cannotProve = "roster cannot know if the team <team> exists: <why>.";
const isLeaver = "<email> is a leaver[[ (since <since>)]]";
const newTeam = "the API creates a team only together with a new user.";
const byHand =
  "Create <team> in the web interface of the service, and write its `identifier` into the roster. Or add one more new user, and make this user the `firstMember` of <team>.";
const holdersKey = "<holder>'s key <prefix>[[ in <team>]]";
const addKey =
  "so nobody has reviewed this role.\nIf the role is wrong, remove it in the service. If it is right, add the key with its roles to the roster. Or, if the user may have any privileged role, list the user under `guards.privileged-roles.people` in the settings file (roster.config.yaml).";
const withoutIdentifier =
  "Without the identifier, roster cannot add members to <team>. roster does not create the team again.\nFind the identifier in the web interface of the service, and write it into the roster.";
const correctOwner =
  "The API cannot move keys. roster does not change the roles of this key.\nCorrect the owner or the prefix in the roster.";
const newFirstMember =
  "\n\n# For a new first member, merge these lines into your file:\naccount: <account>\nusers:\n  - { email: NEW@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }\nteams:\n  - name: <team>\n    firstMember: NEW@EXAMPLE.ORG\n    members:\n      - { user: NEW@EXAMPLE.ORG }\n";
const teamIdentifier = "\n\nteams:\n  - name: <team>\n    identifier: <identifier:raw>\n";
const memberKey = "\n\nteams:\n  - name: <team>\n    members:\n      - { user: <email>, key: <key:raw> }\n";

const serviceInCi = `In CI, roster does not accept the setting \`service\` ${inCi}.`;

export const findings = {
  "service-reset": task(
    "may have lost its data\nAt least three recorded users are missing, and more than half of those that were checked. If you allow it, the state drops its records of users, teams, members and keys. Calls with an unknown outcome stay open.\n\n--allow service-reset#7f3a90c1d4e5",
    `The service does not have <count> of <all> users that earlier runs recorded: <missing:10>. The service may have lost its data, or this is another service. roster plans nothing.\nCheck the endpoint, and restore the data of the service. To start anew with what the service has, {run}. roster then creates the missing users and teams again, and the users get new mails.`,
  ),
  "account-unavailable": task("cannot be used", {
    hidden: `The service does not show the account <account>. roster plans nothing in it.\nCorrect the account in the roster, or its alias in the settings. Or use a key that can see the account.`,
    inactive: `The service shows the account <account> as <status>. roster plans nothing in it.\nActivate the account in the service, or remove it from the roster.`,
  }),
  "incomplete-read": task("the service did not show enough", {
    user: "roster cannot prove that <email> is absent: <why>. roster does not create a user in doubt.\nPlan again. If this task stays, run `roster doctor` and check what your key can see.",
    team: `${cannotProve} roster creates no team from an incomplete list.\nPlan again.`,
    list: `The list of users is incomplete: <why>. A missing user may have any role.\nTry again later, or use a key that can see all users.`,
  }),
  "ambiguous-user": task(
    "several users have this address",
    `The service shows <count:user> with the address <email>: <shown>. roster changes no user with this address.\nDelete or rename all but one in the service.`,
  ),
  "unsafe-address": taskOrNotice(
    "address not safe for a new user\nMail servers, URLs or people could misread the address. Examples: a `/`, a second `@`, an invisible character, a domain without a dot.",
    {
      fault: `<email> is not created: the address <fault>. The service does not show this user, and a mail could reach another person.\nCorrect the address.`,
      domain: `<email> is not created: the address has a domain without a dot. The service does not show this user, and a mail could reach another person.\nWrite the full domain.`,
      letters:
        "<email> has non-ASCII letters before the `@`. Many mail servers do not deliver to such an address. Some letters look like others.\nCheck the address letter by letter.",
    },
  ),
  "inactive-user": task("disabled or deleted in the service", {
    deleted: `The service shows <email> as deleted. A deleted user blocks the address, and the API cannot restore users.\nIf the user is still needed, restore this user in the service. If not, remove <email> from the roster. For a new user, purge the old one in the service, or write another address.`,
    disabled: `The service shows <email> as <status>. The API cannot activate users. roster does not add this user to teams, but still manages the roles of the user's keys.\nActivate the user in the service.`,
  }),
  "invitation-pending": noticeOrTask(
    "invitation not accepted yet\nroster manages the teams and keys of the user as usual. After 14 days, the notice is a task: many services cancel old invitations without notice.",
    {
      recent: `The service shows <email> as <status>. The user has not accepted the invitation yet.`,
      expired: `The service shows <email> as <status>. The last known invitation is <days:day> old (<at>). The mail may be lost, or the invitation expired. roster does not send a second one.\nAsk the user, or send the invitation again in the service.`,
    },
  ),
  "former-address": task(
    "still has a former address",
    "The service has the user <email> under the former address <shown>. The API cannot change addresses. roster does not create a second user.\nIf <email> is right, change the address in the service. If not, write <shown> as the `email` in the roster.",
  ),
  "user-missing": task(
    "no longer in the service\nroster does not recreate users on its own.\n\n--allow user-missing:ada@acme.example#7f3a90c1d4e5",
    {
      moved:
        "<email> <past>. The service shows that user as <shown> now.\nIf this is the same person, write <shown> as the `email`, and <email> under `previously`. To create <email> as well, if <shown> is another person, {run}.\n\n# If it is the same person:\nusers:\n  - email: <shown>\n    previously: [<email>]\n",
      claimed: `<email> <past>. The service shows that user as <shown> now.${cannotRecreate}`,
      gone: `<email> <past>. The service does not show this user any more.${cannotRecreate}`,
      replaced: `<email> <past> as the user <former>. The service now shows another user, <identifier>, with this address[[, and the former user as <shown>]]. roster changes nothing, because this may be another person.\nIf the address in the roster is wrong, correct it. To manage <identifier> as this user, {run}.`,
    },
  ),
  "user-in-other-account": task(
    "in another account",
    `The service shows <email> in the account <shown>. The roster has <account>. The API cannot move users.\nIf the roster is wrong, correct the account there. If it is right, move the user in the service.`,
  ),
  "user-adopted": notice(
    "existed already",
    `<email> exists already (<answer>). roster created nothing and now manages the existing user.\nPlan again to compare this user with the roster.`,
  ),
  "profile-differs": taskOrNotice("name, title or other field differs", {
    changed: `The service shows <email> with <differences>. The API cannot change users.\nIf the roster is right, correct the user in the web interface of the service. If not, write the value of the service into the roster.`,
    adapted: `The service shows <email> with <differences>. The service stores the value in this form.\nTo hide this notice, write the value of the service into the roster.`,
  }),
  unmanaged: notice(
    "not in the roster\n`drift` and `--unmanaged` read all users and keys. The owner of your API key is not reported.",
    {
      user: `<email> is in the service, but not in the roster. roster does not change this user's keys[[, except in teams with \`onRemoval: <removal:revoke|revoke>\`]].\nTo manage this user, add the user to the roster.`,
      key: `${holdersKey} is not in the roster, but the user is. roster does not change this key.\nTo manage its roles, add the key under \`keys:\`, or its team under \`teams:\`.`,
    },
  ),
  "unmanaged-privilege": task(
    `privileged, but not in the roster\nThe role can administer others. roster does not remove it. ${guardsInCi}`,
    {
      blocked: `${holdersKey} has <role>. The roster does not give this role, and this plan cannot remove it.\nFirst do the other tasks of this user, and plan again. Or remove the role in the service.`,
      "unknown-user": `${holdersKey} has <role>. The roster names neither the user nor the key, ${addKey}`,
      "unmanaged-key": `${holdersKey} has <role>. The roster lists no roles for this key, ${addKey}`,
    },
  ),
  "leaver-remains": taskOrNotice("leaver, not gone from the service", {
    unproven: `${isLeaver}, and roster cannot prove that this user is gone: <why>.\nPlan again. If this task stays, check what your key can see, and look in the service.`,
    disabled: `${isLeaver}, and the service shows the user as <statuses>[[, with <remains>]]. The keys of <email> give no access. roster keeps them without roles while the leaver is in the roster.`,
    present: `${isLeaver}, and the service still has <users>[[, with <remains>]]. The API cannot delete users or end memberships.\nDelete or disable <count:this user|these users> in the web interface of the service. [[roster created <created> with this user as first member. Check that <teams:this team has|these teams have> another admin.]]`,
  }),
  "date-ahead": notice(
    "changes on a later date\nBefore `from`, roster neither creates the user nor adds the user to teams. An `until` is reported 14 days before it comes.\n\nusers:\n  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, from: 2027-01-31 }",
    {
      "user-starts": `<email> starts on <from>. Until then, roster does not create the user.`,
      "shown-user-starts": `<email> starts on <from>. The service already shows <shown>. Until then, roster does not change this user.`,
      "team-starts": `roster creates <team> later: its first member <email> starts on <from>.`,
      "user-leaves":
        "<email> leaves in <days:day>, on <until>. The first `roster apply` on or after that day removes all roles of this user's keys. From that day on, roster ignores the user's `members` entries.\nIf <email> stays, change or remove `until`.",
      "access-ends":
        "Access of <whose> ends soon: <ends>. From that day on, roster removes the roles.\nTo keep the access, change or remove `until`.",
    },
  ),
  "user-removed": task("no longer in the roster\n\n--allow user-removed:ada@acme.example#7f3a90c1d4e5", {
    one: "<email> was in the roster at an earlier apply, but is in no roster file now. <presence>. roster does not change this user[[, except in teams with `onRemoval: <removal:revoke|revoke>`]], because a file may be missing.\nIf <email> left, list this user under `leavers`. If the address changed, add `previously: [<email>]` to the entry with the new address. To stop managing <email> but keep this user in the service, {run}.\n\n# If <email> left:\nleavers:\n  - email: <email>\n    since: <today:raw>\n",
    many: `<count:user> of applied rosters are in no file now: <emails:10>.\nCheck if a file was lost in a merge. If not, each user has a task with the next step.`,
  }),
  "unproven-absence": task(
    `may exist already\nThe service neither shows it nor proves that it is absent. roster creates no team in doubt, because a second one could not be removed. ${serviceInCi}\n\n--allow unproven-absence:pricing#7f3a90c1d4e5`,
    {
      team: `${cannotProve}\nLook for the team in the web interface of the service. If the team exists, write its \`identifier\` into the roster. To create <team>, if you know that it does not exist, {run}. [[roster does not read these fields of users and keys: <fields>. If these fields show teams, add the printed lines to the settings file (roster.config.yaml).]]`,
      member: `roster cannot know if <email> is a member of <team>: <why>.\nIf <email> is a member, write the prefix of this user's key in the team as \`key\`. To invite <email> to <team>, if you know that the user is not a member, {run}.${memberKey}`,
    },
  ),
  "team-name-differs": notice("has another name in the service", {
    renamed:
      "The team <identifier> is <team> in the roster and <shown> in the service. It was renamed there. roster uses this team as it is.\nTo hide this notice, write <shown> as its name, and <team> under `previously`.\n\nteams:\n  - name: <shown>\n    previously: [<team>]\n",
    former: `The service has <team> under its former name <former>. The API cannot rename teams. roster uses this team as it is.\nTo hide this notice, rename the team in the service.`,
  }),
  "cannot-create-team": task(
    "cannot be created\nThe API cannot create a team alone. Its first member must be in the roster, in the same account, without `ownKeyRoles`, and not yet in the service.",
    {
      renamed: `<team> may exist under another name: ${renamed} If it is new: <otherwise>${renamedYaml}`,
      starts:
        "roster cannot create <team> yet: its <as> <email> starts on <from>.\nWait until <from>, change `from`, or name another `<field>`.",
      "no-admin":
        "roster cannot create <team>: its admin <email> does not exist, and this plan cannot create this user.\nFirst do the task of that user, or name another `admin`.",
      "admin-reserved":
        "roster cannot create <team>: its admin <email> is reserved as the first member of <other>. So this plan does not create this user.\nFirst do the task of that user, or name another `admin`.",
      "unknown-roles": `roster cannot create <team>: the service does not know <roles>, which the roster gives to its first member <email>.\nCorrect the roles.`,
      held: `This plan does not create <team>. It needs <email> as its <as>, and a guard blocks that user.\nFirst do the task of that user, or name another <as>.`,
      "too-few": `roster cannot create <team>: ${newTeam} <teams> each need one new user, but together have only <people>: <emails>.\n${byHand}${newFirstMember}`,
      "none-left": `roster cannot create <team>: ${newTeam} All members of <team> already exist.\n${byHand}${newFirstMember}`,
      "wrong-first-member": `roster cannot create <team>: ${newTeam} Its \`firstMember\` in the roster, <email>, is not new.\n${byHand}${newFirstMember}`,
      cycle: `roster cannot create <team>: <teams> wait for each other, because the \`firstMember\` of one is the admin of another.\nRemove one \`firstMember\` line, so that the admin of that team can be its first member.`,
    },
  ),
  "team-identifier-unknown": task("identifier unknown", {
    recorded: `The team existed at <at>, but its identifier is unknown. ${withoutIdentifier}${teamIdentifier}`,
    shown: `Keys show the name of the team, but not its identifier. ${withoutIdentifier}${teamIdentifier}`,
    created: `roster created <team>, but the API does not show its identifier. Without the identifier, roster cannot add members.\nFind the identifier in the web interface of the service, and write it into the roster. roster does not create the team again.${teamIdentifier}`,
    several: `The service shows <count:team> that may be <team>: <identifiers>. roster changes none.\nWrite the \`identifier\` of the right team into the roster.${teamIdentifier}`,
    shared: `The service shows the team <identifier>. It may be <team> or another team of the roster, so roster changes neither.\nWrite this \`identifier\` to the right team in the roster.${teamIdentifier}`,
    "former-name":
      "roster cannot know which team <team> is: <why>. roster changes neither team.\nWrite the `identifier` of one of them into the roster.",
  }),
  "extra-member": taskOrNotice(
    "not a member in the roster\nTo allow all extra members of a team, set `open: true` on it.",
    {
      reported: `${extraMember}${removeMember} If you add \`onRemoval: revoke\` to the team in the roster, the next apply removes the roles of <prefix>. ${addMember}`,
      dropped: `${extraMember}roster cannot remove a member.\nThis user is in no roster file now. First decide what happens to this user: see the task user-removed.`,
      revoke: `${extraMember}The team has \`onRemoval: revoke\`, so apply removes the roles of <prefix>. ${removeMember} ${addMember}`,
      ended: `${extraMember}The membership ended on <until>, so apply removes the roles of <prefix>. ${removeMember}`,
      kept: `${extraMember}roster removed the roles of <prefix>, but it still has <left>. ${removeMember} ${addMember}`,
      hidden: `${extraMember}roster removed the roles of <prefix>, but the service does not show its roles now. ${removeMember} ${addMember}`,
      revoked: `${extraMember}The key has no roles, because the team has \`onRemoval: revoke\`. ${hideByRemoval} ${addMember}`,
      "revoked-by-date": `${extraMember}The key <prefix> has no roles, because the membership ended on <until>. ${hideByRemoval}`,
      "revoked-now": `roster removed the roles of key <prefix> of the <member>, because the team has \`onRemoval: revoke\`. The key has no roles now. ${hideByRemoval} If this user belongs in the team, correct the roster.`,
    },
  ),
  "member-removed": task(
    "removed by others",
    `<past> at <at>. Now the service shows no key of <email> in <team>. roster does not invite anyone twice.\nIf <email> should be in the team, add this user to the team in the web interface of the service. If not, remove <email> from the team in the roster.`,
  ),
  "unknown-role": task("not offered by the service", {
    unknown: `The service does not know the role <role> of <place>. roster does not change keys that need this role, and creates no team with it.\nCorrect the role. Upper and lower case matter. [[Did you mean <alike>? ]]The service offers <offered>.`,
    misplaced:
      "The service does not offer the role <role> for <kinds>, but <place> has it there. roster does not change these keys.\nRemove the role there, or list a key of the right kind under `keys`.",
  }),
  "unknown-key": task(
    "unknown to the service",
    `The service does not know the key <prefix>: <why>.\nIf the prefix is wrong, correct it (upper and lower case matter). If the key is gone, remove it from the roster.`,
  ),
  "key-prefix-unknown": task(
    "key prefix unknown\nNeither the service nor the state shows the prefix. Without it, roster cannot change the roles.",
    {
      member: `<email> is a member of <team>, but the prefix of this user's key in the team is unknown. roster cannot change the roles of this key.\nFind the prefix in the web interface of the service, and write it as \`key\` of the member.${memberKey}`,
      own: "The roster has `ownKeyRoles` for <email>, but the prefix of this user's own key is unknown: <why>.\nFind the prefix in the web interface of the service, and write it as `key` of the user.\n\nusers:\n  - email: <email>\n    key: <key:raw>\n",
      several:
        "roster created <email>. The answer shows <count:key> (<prefixes>), but not which one is <whose>. roster set no roles.\nFind the key in the web interface of the service, and write its prefix as `key` into the roster.",
    },
  ),
  "key-owner-differs": task("belongs to another user or team", {
    shown: `The service shows the key <prefix> as <kind> of <holder>. The roster names it as <as> of <owner>. ${correctOwner}`,
    recorded: `The state has the key <prefix> as <kind> of <holder>[[ (<at>)]]. The roster names it as <as> of <owner>. ${correctOwner}`,
  }),
  "conflicting-roles": task("different roles in the roster", {
    places: `The roster gives the key <prefix> different roles: <wanted>. roster does not change this key.\nWrite the same roles in each place. If a prefix is wrong, correct it.`,
    leaver: `The roster gives <roles> to the key <prefix> of <email>, who is a leaver. Leavers have no roles, so roster removes all roles from this key.\nRemove the key from the roster. If a program uses this key, give the program a key of another user.`,
  }),
  "roles-kept-by-service": noticeOrTask("kept roles that roster removed", {
    harmless: `The service still has <roles> on <count:key>, although roster removed them. roster does not send this change again.\nTo hide this notice, add these roles to the roster.`,
    privileged: `roster set the key <prefix> to <roles>, but the service kept <privileges> on it. The roster does not give this access.\nIf the access is wrong, remove it in the service. If it is right, add these roles to the roster.`,
    verified: `The service accepted <roles> for the key <prefix> of <email>, but the key has <shown>.\nCheck the key in the service.`,
  }),
  "key-without-roles": notice("has no roles", {
    own: "At <at>, roster removed all roles of <prefix>, the own key of <email>. roster does not restore them by itself.\nIf the key needs roles, add `ownKeyRoles` to the entry of the user. If not, add `ownKeyRoles: []`.\n\n# In the entry of the user:\nusers:\n  - email: <email>\n    ownKeyRoles: [ROLE]\n",
    member:
      "At <at>, roster removed all roles of <prefix>, the key of <email> in <team>. roster does not restore them by itself.\nIf the key needs roles, add `roles` to the entry of the member or of the team. If not, add `roles: []` to the entry of the member.\n\n# In the entry of the team:\nteams:\n  - name: <team>\n    members:\n      - { user: <email>, roles: [ROLE] }\n",
  }),
  "temporary-privilege": notice(
    "privileged role for a short time",
    `When roster creates <team>, the key of <email> gets <roles> for a short time. A new key needs at least one role. The next action sets the exact roles.\nCheck who the first member is before you approve.`,
  ),
  "unmanaged-key-changed": notice(
    "roles changed outside the roster",
    `${holdersKey} has <roles>, but it had <before>. The roster does not manage its roles, so roster does not change them.\nTo accept the new roles, write them into the roster.`,
  ),
  "idle-allowance": notice("not needed", "Nothing in this run needs this code.\nYou can leave it out."),
  "write-pending": noticeOrTask(
    `recent change not visible yet\nUntil the consistency window ends, roster does not treat it as drift and sends nothing again. If this service shows changes later, set ROSTER_CONSISTENCY, or \`service.consistency\` in the settings file. ${serviceInCi}`,
    {
      user: `roster created <email> at <at>. The service does not show the user yet. ${waitForReads}`,
      team: `roster created <team> with <email> at <at>. The service does not show the membership yet. ${waitForReads}`,
      member: `roster added <email> to <team> at <at>. The service does not show the membership yet. ${waitForReads}`,
      roles: `roster set the roles of the key <prefix> to <roles> at <at>. The service still shows <shown>. ${waitForReads}`,
      identifier: `roster created <team>, but the service does not show its identifier yet. Without the identifier, roster cannot add members.\nRun apply again later. roster does not create the team again.`,
      "own-key": `The service does not show the own key of <email> yet, so roster did not set its roles.\nRun apply again later.`,
      "team-key": `The service does not show the key of <email> in <team> yet, so roster did not set its roles.\nRun apply again later.`,
    },
  ),
  "unknown-outcome": task(
    "roster sent a call and does not know if it succeeded\nThe call may have sent a mail. So roster sends it again only if the service shows that it was not done.\n\nroster state resolve ID done\nroster state resolve ID not-done",
    {
      user: `At <at>, roster sent a call to create <email>. The outcome is unknown, and the service does not show the user yet. <when> To decide now, look for <email> in the web interface of the service. <resolve>`,
      leaver: `${isLeaver}. roster sent a call <sent>, and the outcome is unknown. roster does not send the call again. Look in the service. <resolve>`,
      members: `At <at>, roster sent a call to add <emails> to <team>. The outcome is unknown. <when>\nTo decide now, look for <team> in the web interface of the service. <resolve> If the service shows the team keys, you can write their prefixes into the roster instead.`,
      "members-unshown": `At <at>, roster sent a call to add <emails> to <team>. The outcome is unknown. roster does not invite anyone twice.\nThe API still does not show who is in the team. Look in the web interface of the service. <resolve> If the service shows the prefixes of the team keys, you can write these prefixes into the roster instead. To add <emails> to <team>, if you know that the first call had no effect, {run}.`,
      team: "At <at>, roster sent a call to create <email> and the team <team>. The outcome is unknown. The team may exist already. <when>\nTo decide now, look for <team> in the web interface of the service. If the team exists, write its `identifier` into the roster. To create <team>, if you know that it does not exist, {run}.",
    },
  ),
  refused: taskOrNotice("refused by the service in an earlier run\n\n--allow refused:ada@acme.example#7f3a90c1d4e5", {
    request: `<refusals> roster does not send the same request again on its own. <correct> To <asked> after a correction in the service, {run}.`,
    "other-first-member":
      "<refusals> The API creates a team together with one new user, so the next apply tries it with <email> instead.",
    team: `<refusals> One request creates both, so the team or the user can be the cause. The team has no other new member to try. roster does not send the same request again on its own.\nCorrect the team or its first member in the roster, or add another new member to the team. To <asked> after a correction in the service, {run}.`,
  }),
  "not-selected": notice(
    "cannot be planned with this selection\n`--include` or `--exclude` leaves it out.\nInclude it too, or plan without a selection.",
    {
      members: "This plan does not invite <emails> to <team>, because it does not create <missing>.",
      team: "This plan does not create <team>, because its admin <email> does not exist yet and is not selected.\nSelect this user too: `--include user:<email>`.",
    },
  ),
  "not-observed": notice("some facts not read", {
    state: `The service does not show everything: <facts> <count:is|are> taken from the state[[ (the oldest at <oldest>)]] or from the roster. roster cannot see drift in these facts.`,
    hidden: `The service does not show <what>. roster cannot see privileged roles outside the roster.\nCheck them in the service.`,
    snapshot: "This is a preview from a snapshot of <at>. `apply` reads the service and makes a new plan.",
    "snapshot-without-search":
      "This is a preview from a snapshot of <at>. It has no search for <count:new user>, but its complete list of users does not have them. `apply` searches for each user before it creates the user.",
  }),
  "unread-fields": notice(
    `sends fields that roster ignores\n${serviceInCi}`,
    `roster does not read these fields of users and keys: <fields>. These fields look like facts that roster did not find elsewhere.\nIf they are such facts, add the printed lines to the settings file (roster.config.yaml), and plan again.`,
  ),
  ...holds,
};

export type FindingCode = keyof typeof findings;

export const sentences = {
  /** Of a code that names the right thing, with other digits. */
  "other-facts": "it was printed for another plan, service or log",
  reserved:
    "Until this task is done, roster does not create <emails>. The API creates a team only together with a new user.",
  waits: "These actions wait too: <actions:10>.",
  "blocked-too": "first do the task <tasks>. If the next plan still shows the task <code>,",
  /** When a plan knows by reading that a call was not done. */
  decided: "From <time> on, `roster apply` sends the call again if the service does not show the change by then.",
  undecided:
    "roster does not send the call again.\nPlan again: the service may show the change then. The service does not send its time (header `Date`). Without this time, roster cannot decide that the call had no effect.",
  /** What a person types who has looked in the service. */
  resolve: "If the service shows the change, run <done>. If you know that the call had no effect, run <undone>.",
  refusal: "At <at>, the service refused to <asked>. [[It answered: <answer>]]",
};
