import { codeText } from "../code-words.ts";

/** Findings about accounts, users, leavers and those whom nobody names any more. */
export const aboutPeople = {
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
    "Have the user restored or removed for good in the service, or say --recreate ADDRESS for one run where a new one is really meant.",
  ),
  "barred-user": codeText(
    "a user of the roster is switched off in the service",
    "The service shows the user as inactive, rejected or disabled. No call activates anybody. They are invited to nothing meanwhile.",
    "Have the user activated by hand, or make them a leaver in the roster.",
  ),
  "pending-user": codeText(
    "somebody has not accepted the invitation yet",
    "The service shows the user as invited or pending. Their places and keys are managed like anybody's.",
    "Wait, or have the person look for the mail. `roster reinvite` mails them once more.",
  ),
  "invitation-expired": codeText(
    "an invitation has been waiting for too long",
    "The user was invited longer ago than `invitationDays` allows, and has not accepted. Services drop such invitations, and then nothing ever comes of them.",
    "Say `roster reinvite ADDRESS TEAM` to mail the person once more, or take them out of the roster.",
  ),
  "invited-before": codeText(
    "somebody is mailed who was mailed before",
    "`roster reinvite` mails somebody a further time. The notice says when the last mail was sent by our record.",
    "Nothing, where it is meant: a mail cannot be taken back.",
  ),
  "former-address": codeText(
    "the service knows somebody by a former address",
    "An address under `previously` leads to a user of the service, and no call changes an address. A second account is never created for one person.",
    "Have the address changed by hand, or write the one that the service has as the `email` in the roster.",
  ),
  vanished: codeText(
    "somebody whom we know is gone",
    "Our record ties the person to a user of the service who is not there any more, or has another address now. Whoever was here is not created again by themselves.",
    "Find out what became of the user. If a new one is really meant, say --recreate ADDRESS for one run; if they moved, write the other address.",
  ),
  "other-account": codeText(
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
  "profile-adapted": codeText(
    "the service keeps a field in its own way",
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
  "everyone-unread": codeText(
    "the list of users is not complete",
    "This run was to look at everybody, and the list of users could not be shown to be whole. Whoever is missing from it may hold anything.",
    "Look again later, or with a key that may see every user.",
  ),
  "leaver-remains": codeText(
    "a leaver is still there",
    "The service still has the user. Their keys are left without roles; no call deletes a user, ends a membership or withdraws an invitation.",
    "Have the user deleted or switched off by hand. The finding names what they still have.",
  ),
  "leaver-barred": codeText(
    "a leaver is switched off",
    "The service shows the leaver as inactive, rejected or disabled, so that nothing of theirs opens anything. Their keys are kept without roles for as long as they are listed.",
    "Nothing.",
  ),
  "leaver-unproven": codeText(
    "it is not proven that a leaver is gone",
    "No read shows the leaver, and none proves that the service has nobody at the address.",
    "Plan again. If it stays, check what the key in use may see, and look in the service by hand.",
  ),
  "until-soon": codeText(
    "somebody leaves soon",
    "The user's `until` comes within 14 days. From that day on they are a leaver: their keys are planned to have no roles.",
    "Nothing, where they go. Where they stay, give `until` another date or take it out.",
  ),
  dropped: codeText(
    "the roster does not name somebody any more",
    "The last applied roster named the person, and now nobody does, neither as a user nor as a leaver, while the service may still have them. Perhaps a file was lost.",
    "Write the person under `leavers`, or back among the users, or say --release ADDRESS for one run where they are nobody's matter from now on.",
  ),
};
