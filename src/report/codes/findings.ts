import type { FindingCode } from "../../model/finding.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** Findings about accounts, users, leavers and those whom nobody names any more. */
const aboutPeople = {
  "unknown-account": codeText(
    "the service knows no such account",
    "The account that the roster or the settings name is not among those that the service answers for with this key. Nothing in it is planned.",
    "Correct the account in the roster or its alias in the settings, or use a key that may see the account.",
  ),
  "inactive-account": codeText(
    "the account is not active",
    "The service shows the account with a status that lets nobody in. Nothing in it is planned.",
    "Have the account activated, or take it out of the roster.",
  ),
  "unproven-user": codeText(
    "it is not proven that a user is absent",
    "No read of this run shows the user, and none proves that the service has nobody at the address: a search did not find somebody known to be there, a list was cut, or a read was refused. Nobody is created on a doubt.",
    "Plan again. If it stays, check what the key in use may see; `roster doctor` shows how the service answers.",
  ),
  "ambiguous-user": codeText(
    "several users have one address",
    "The service shows more than one user at the address of one person of the roster, so that nobody can say whom a call would be about.",
    "Have all but one of them deleted or renamed in the service.",
  ),
  "unsafe-address": codeText(
    "no user is created with this address",
    "The service does not show the user, and the address contains what mail servers, URLs or people can misread. Such as: a `/`, a second `@`, an invisible character, a full-width letter, a domain without a dot. The invitation could reach somebody else.",
    "Correct the address in the roster. For a domain without a dot: write the whole domain, or set `singleLabelDomains: true` in the settings.",
  ),
  "non-ascii-address": codeText(
    "a new user's address has letters beyond ASCII before the @",
    "Many mail servers do not deliver to such an address, and some letters look like others. A notice.",
    "Check the address letter by letter.",
  ),
  "deleted-user": codeText(
    "a deleted user has the address",
    "The service shows a user with this address as deleted. It may refuse the address to anybody else, and no call brings the user back or deletes it for good.",
    "Have the user restored or removed for good in the service, or, if a new user is really meant, pass the `--allow recreate:…` that is printed.",
  ),
  "user-disabled": codeText(
    "a user of the roster is disabled in the service",
    "The service shows the user as inactive, rejected or disabled. No call activates anybody. They are invited to nothing meanwhile.",
    "Have the user activated by hand, or make them a leaver in the roster.",
  ),
  "invitation-pending": codeText(
    "a user has not accepted the invitation yet",
    "The service shows the user as invited or pending. Their places and keys are managed like anybody's.",
    "Wait, or have the person look for the mail. `roster resend-invitation` mails them once more.",
  ),
  "invitation-expired": codeText(
    "an invitation has been waiting for too long",
    "The user was invited longer ago than `invitationDays` allows, and has not accepted. Services drop such invitations, and then nothing ever comes of them.",
    "Say `roster resend-invitation ADDRESS TEAM` to mail the person once more, or take them out of the roster.",
  ),
  "invited-before": codeText(
    "an invitation is sent again",
    "`roster resend-invitation` mails somebody a further time. The notice says when the last mail was sent by our record.",
    "Nothing, where it is meant: a mail cannot be taken back.",
  ),
  "former-address": codeText(
    "the service knows somebody by a former address",
    "An address under `previously` leads to a user of the service, and no call changes an address. A second account is never created for one person.",
    "Have the address changed by hand, or write the one that the service has as the `email` in the roster.",
  ),
  "user-missing": codeText(
    "a user that roster knew does not exist any more",
    "Our record ties the person to a user of the service who is not there any more, or has another address now. Whoever was here is not created again by themselves.",
    "Find out what became of the user. If they moved, write the other address. If a new user is really meant, pass the `--allow recreate:…` that is printed.",
  ),
  "user-in-other-account": codeText(
    "a user belongs to another account",
    "The service shows the user in another account than the roster gives. No call moves a user between accounts.",
    "Write the account that the service shows, or have the user moved by hand.",
  ),
  "user-adopted": codeText(
    "somebody was there already",
    "The run was about to create somebody, and the service answered with a user whom it had already, whom no read had shown. Nobody was created; the person is taken over as they are.",
    "Plan again: from now on what the roster says of them is compared.",
  ),
  "profile-differs": codeText(
    "a user's name or another field differs",
    "The service shows another first name, last name or title than the roster gives. No call changes a user.",
    "Have it corrected in the service, or write in the roster what the service shows.",
  ),
  "profile-normalized": codeText(
    "the service stores a field in its own form",
    "The service made of a field that was sent what it shows now: other spaces, an identifier of its own, another source. It would do so again.",
    "Nothing, or write it in the roster as the service shows it.",
  ),
  "unmanaged-user": codeText(
    "the service has somebody whom the roster does not name",
    "`--unmanaged` and `drift` read everybody, and this user is in no file of the roster. Nothing is done about them.",
    "Write the person into the roster, or leave them as they are.",
  ),
  "unmanaged-privilege": codeText(
    "somebody beyond the roster holds a privileged role",
    "A key carries a role that administers others, and the roster names neither the person nor the key: nobody has reviewed it.",
    "Have the role taken away, write the key with its roles into the roster, or list the person under `guards.privileged-roles.people`.",
  ),
  "user-list-incomplete": codeText(
    "the list of users is not complete",
    "This run was to look at everybody, and the list of users could not be shown to be whole. Whoever is missing from it may hold anything.",
    "Look again later, or with a key that may see every user.",
  ),
  "leaver-remains": codeText(
    "a leaver is still there",
    "The service still has the user. Their keys are left without roles; no call deletes a user, ends a membership or withdraws an invitation.",
    "Have the user deleted or switched off by hand. The finding names what they still have.",
  ),
  "leaver-disabled": codeText(
    "a leaver is disabled in the service",
    "The service shows the leaver as inactive, rejected or disabled, so that nothing of theirs opens anything. Their keys are kept without roles for as long as they are listed.",
    "Nothing.",
  ),
  "leaver-unproven": codeText(
    "it is not proven that a leaver is gone",
    "No read shows the leaver, and none proves that the service has nobody at the address.",
    "Plan again. If it stays, check what the key in use may see, and look in the service by hand.",
  ),
  "leaving-soon": codeText(
    "a user leaves soon",
    "The user's `until` comes within 14 days. From that day on they are a leaver: their keys are planned to have no roles.",
    "Nothing, where they go. Where they stay, give `until` another date or take it out.",
  ),
  "user-removed": codeText(
    "a user was removed from the roster files",
    "The last applied roster named the person, and now nobody does, neither as a user nor as a leaver, while the service may still have them. Perhaps a file was lost.",
    "Write the person under `leavers`, or back among the users. If roster is not to manage them any more, pass the `--allow release:…` that is printed.",
  ),
};

/** Findings about teams and who is in them. */
const aboutTeams = {
  "unproven-team": codeText(
    "it is not proven that a team is absent",
    "The service did not show the team, and no read proves that it is not there: users were not read completely, or the service does not show the teams of keys. A team is not founded on a doubt, since a second one could not be removed.",
    "If it is there, give its `identifier` in the roster. If you know that it is not, pass the `--allow absent:team:…` that is printed.",
  ),
  "incomplete-list": codeText(
    "the list of users was cut, so that a team cannot be proven absent",
    "A team is shown by the keys of its members. The list of users was not complete, and a member may have been among those who are missing from it.",
    "Plan again. If it stays, `roster doctor` says how the service pages its lists.",
  ),
  "ambiguous-team": codeText(
    "several teams may be the one",
    "The service shows more than one team of this name in the account, and nothing tells which of them the roster means.",
    "Write the `identifier` of the right one into the roster.",
  ),
  "former-team-name": codeText(
    "the service knows a team by its former name",
    "A name under `previously` leads to the team, and no call renames one. It is used as it is.",
    "Nothing, or have it renamed by hand.",
  ),
  "team-renamed": codeText(
    "a team has another name in the service",
    "The team's `identifier` leads to a team of another name: it was renamed there. It is used as it is.",
    "Write the new name, and the old one under `previously`.",
  ),
  "team-without-founder": codeText(
    "a team has no new user to be founded with",
    "No call creates a team: it comes into being only together with one new user of its account, who is a member and has no `ownKeyRoles`. There are fewer such users than teams that need one. The finding names all that compete.",
    "Have the team made by hand and give its `identifier`, or add a new user as its `founder`; the finding prints the YAML.",
  ),
  "team-without-admin": codeText(
    "a team's administrator cannot be had",
    "A new team needs its `admin` to be there before it is founded, unless the founder is the administrator. This one is neither there nor created by this plan.",
    "See to the finding about that person, or name another `admin`.",
  ),
  "team-identifier-unknown": codeText(
    "nobody knows how the service names a team",
    "The team is there, but neither an answer nor a read shows its identifier, without which nobody can be added to it. It is recorded, and never founded again.",
    "Look the identifier up in the service, and write it into the roster.",
  ),
  "extra-member": codeText(
    "somebody is a member whom the roster does not name",
    "A key shows the person in a team whose members the roster gives completely. No call removes a member.",
    "Have it done by hand, name the person in the roster, or mark the team with `open: true`. With `onRemoval: disarm` their key is left without roles.",
  ),
  "extra-member-without-roles": codeText(
    "an extra member has no roles any more",
    "The team says `onRemoval: disarm`, and the key of somebody whom the roster does not name has no roles. The membership itself stays, since no call ends it.",
    "Have the membership ended by hand.",
  ),
  "member-removed": codeText(
    "a member was taken out of a team by somebody else",
    "A run of ours added or saw the person in the team, and the service shows them without a key of it now. Nobody is invited twice by themselves.",
    "Add the person by hand, take them out of the team in the roster, or say `roster resend-invitation ADDRESS TEAM`.",
  ),
  "unknown-membership": codeText(
    "nobody knows whether somebody is a member",
    "The service does not show enough to tell, such as keys without their teams, and no record says it either. Nobody is invited on a doubt.",
    "If they are a member, write the prefix of their team key as `key`; if not, pass the `--allow absent:member:…` that is printed.",
  ),
  "renamed-team": codeText(
    "a team may only have got another name",
    "The guard renamed-team holds the founding: at least two and at least half of its members are those of a team that is known and that the roster does not name any more. Founding it would make a second one.",
    "Say with `previously` or `identifier` which team it was. If it is a new one, say --allow renamed-team@PLANID, as the finding prints it.",
  ),
};

/** Findings about keys and roles. */
const aboutKeys = {
  "unknown-role": codeText(
    "the service does not know a role",
    "The roster asks for a role identifier that is not in the service's list. They are compared exactly, letter case included. Keys that want it are left as they are.",
    "Correct the role; the finding says which ones the service offers.",
  ),
  "role-kind-mismatch": codeText(
    "a role is for another kind of key",
    "The service knows the role, and says of what kind of key it is; the roster asks for it on another kind. Keys that want it are left as they are.",
    "Take the role out of these places, or name a key of the right kind under `keys`.",
  ),
  "ambiguous-key": codeText(
    "several keys match, and one must be chosen",
    "An answer or a read shows several keys, and nothing tells which of them came with the creation or belongs to the team. None is guessed.",
    "Look it up in the service, and write its prefix as `key` into the roster.",
  ),
  "unknown-key": codeText(
    "the service does not know a key of the roster",
    "The roster names a key, under `keys` or as `key` of a user or of a member. The service shows keys of this kind, and this one is not among them. Prefixes are compared exactly.",
    "Correct the prefix, or take the key out of the roster.",
  ),
  "key-prefix-unknown": codeText(
    "the prefix of a team key is not known",
    "Somebody is a member, and the service does not show the prefix of their key in the team, without which its roles cannot be replaced.",
    "Look the prefix up in the service, and write it as `key` of the member.",
  ),
  "own-key-unknown": codeText(
    "the prefix of somebody's own key is not known",
    "The roster gives `ownKeyRoles`, and neither the service nor a record tells which key was created with the user.",
    "Look the prefix up in the service, and write it as `key` of the user.",
  ),
  "key-owner-differs": codeText(
    "a key belongs to another person or team",
    "The roster names a key, under `keys` or as `key` of a user or of a member. The service or the records show it as the key of another person or team, or a team key as an own key. No call moves a key, and its roles are left alone.",
    "Correct the owner or the prefix in the roster.",
  ),
  "conflicting-roles": codeText(
    "one key is given different roles",
    "Several places of the roster lead to the same key and ask for different roles, or a key that is shown as a leaver's is to have some.",
    "Make the places agree, or correct a wrong prefix among them.",
  ),
  "roles-kept-by-service": codeText(
    "the service keeps roles on a key that roster removed",
    "A replacement asked for fewer roles than the key reads as afterwards. The same is not sent again. Where a privileged role stays, it blocks: somebody holds access that the roster denies.",
    "Write these roles into the roster, or have them taken away by hand.",
  ),
  "key-without-roles": codeText(
    "a key has no roles, and the roster gives none",
    "An earlier run took all roles from the key, such as those of a leaver who came back, and the roster does not say which ones it is to have now.",
    "Write the roles of the user or of the member, or `[]` where none are meant.",
  ),
  "temporary-privilege": codeText(
    "a founder's key is privileged for a short time",
    "The service has no unprivileged role that a founding could ask for, so that the key carries a privileged one until the next step makes it exact.",
    "Nothing; look at who the founder is before you approve.",
  ),
  "unmanaged-key": codeText(
    "a user of the roster has a key that is not in the roster",
    "`--unmanaged` and `drift` read everybody. Nothing is done with the key.",
    "Write it under `keys`, or its team under `teams`, to have its roles managed.",
  ),
  "unmanaged-key-privilege": codeText(
    "a key that is not in the roster has a privileged role",
    "The roster names the person and does not say which roles this key has, so that nobody has reviewed that they may administer others.",
    "Have the role taken away, write the key with its roles into the roster, or list the person under `guards.privileged-roles.people`.",
  ),
  "privileges-unknown": codeText(
    "the service does not show privileged roles",
    "The keys of users, or the roles of keys, are not shown, so that privileged roles beyond the roster cannot be seen.",
    "Look them up in the service where that matters.",
  ),
};

/** Findings of guards that hold, and about the run itself. */
const aboutRuns = {
  "allowed-email-domains": codeText(
    "an address is of a domain that is not allowed",
    "The guard allowed-email-domains holds the creation or the addition: the settings list the domains of people who may be invited, and this is none of them.",
    "Correct the address, or add its domain to `guards.allowed-email-domains`; or say --allow with the word that the finding prints.",
  ),
  "near-duplicate": codeText(
    "somebody of this name is there already",
    "The guard near-duplicate holds the creation: the service shows a person of the same name with a near address, whom the roster does not name, names as a leaver, or has just dropped. A second account could not be deleted.",
    "If it is the same person, write the address that is there, or the former one under `previously`; if not, `distinctFrom: [ADDRESS]`.",
  ),
  "privileged-roles": codeText(
    "somebody would gain a privileged role",
    "The guard privileged-roles holds the change: it gives somebody a role that administers others, and they have none yet.",
    "Take the role out of the roster, or list the person under `guards.privileged-roles.people`; or say --allow with the word that the finding prints.",
  ),
  "own-key": codeText(
    "the key in use would lose its power",
    "The guard own-key holds the change: the key with which roster works would lose the privileged role by which it may do anything, and no later call could give it back.",
    "Keep the role in the roster, or run with the key of another administrator.",
  ),
  protected: codeText(
    "the settings protect somebody or some key",
    "The guard protected holds the change: it touches a person or a key that stands under `protect`.",
    "Make the roster ask for what is there, or take the entry out of `protect`.",
  ),
  "idle-allowance": codeText(
    "an allowance allows nothing",
    "--allow or ROSTER_ALLOW names something that this plan does not need.",
    "Remove it, so that it is not mistaken for an allowance of a later plan.",
  ),
  "write-pending": codeText(
    "the service does not show a recent change of roster yet",
    "roster created somebody, added somebody to a team or set the roles of a key a short while ago, and the service answered that it was done. Reads do not show it yet: large directories need seconds to minutes. Until the consistency window is over, this is not taken for a change by somebody else, and nothing is sent again.",
    "Run plan again later. If reads of this service lag for longer, set `service.consistency` in the settings, or ROSTER_CONSISTENCY.",
  ),
  "unknown-outcome": codeText(
    "nobody knows what became of a call",
    "A run announced a call and never learned its outcome, and reading has not settled it. It is not sent again on a doubt: a mail cannot be unsent, and nobody is created twice.",
    "Plan again later. If it stays, look in the service, and say `roster state resolve ID --done` or `--not-done`.",
  ),
  refused: codeText(
    "the service refused this before",
    "The service refused the same request, and would refuse it again while neither the roster nor what is shown changes. It is not sent again by itself.",
    "Correct what the finding names, or correct the service and pass the `--allow retry:…` that is printed.",
  ),
  "not-selected": codeText(
    "a selection leaves out what this needs",
    "--include or --exclude leave out a person or a team that has to be created first.",
    "Select that as well, or plan without a selection.",
  ),
  "facts-from-state": codeText(
    "the plan uses facts from the state",
    "The service does not show all that the roster is about, so that memberships or roles are taken as recorded or as the roster gives them. What is not shown cannot be seen to drift.",
    "Nothing.",
  ),
  "unread-fields": codeText(
    "the service carries fields that roster does not read",
    "The service was not seen to show keys, prefixes, roles or teams, and its answers have fields that look like them by their name or by what stands there.",
    "If they are what they look like, add the printed lines to the settings, and plan again.",
  ),
  "from-snapshot": codeText(
    "the plan is a preview that was made of a snapshot",
    "`plan --from FILE` reads no service: it goes by what `roster snapshot` read earlier. Such a plan is never applied, and an absence that only a list shows is proven by a search when `apply` reads the service again.",
    "Nothing. Where the snapshot is old, have a new one read.",
  ),
  "not-checked": codeText(
    "a hashed snapshot does not hold what a check needs",
    "The addresses in the snapshot are hashed and the names are left out, so that near duplicates and profiles cannot be compared.",
    "Nothing: the plan that reads the service checks it.",
  ),
};

/** What each finding is about. */
export const findings: Readonly<Record<FindingCode, CodeText>> = {
  ...aboutPeople,
  ...aboutTeams,
  ...aboutKeys,
  ...aboutRuns,
};
