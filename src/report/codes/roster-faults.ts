import { type CodeText, codeText } from "./code-text.ts";

const takeOneOut = "Take one of the two out.";

/** What can be wrong with the shape of a roster file. */
const shape: Readonly<Record<string, CodeText>> = {
  "wrong-type": codeText(
    "a value is of another type than is expected",
    "A map, list, text or boolean stands where the format knows something else.",
    "Write it as the message says; the editor line of `roster init` shows the format while you type.",
  ),
  "quote-needed": codeText(
    "a value reads as a number, a boolean or nothing",
    "A text is expected there, and YAML reads something else, as it does of 007, yes or an empty value.",
    "Put it in quotes.",
  ),
  "unknown-key": codeText(
    "a map has a key that the format does not know",
    "Nothing that is written is passed over: a slip would go unseen.",
    "Correct the key; the message names the nearest one.",
  ),
  "missing-key": codeText("a key is missing", "The format requires it in such a map.", "Add it."),
  "unsupported-version": codeText(
    "the file is of another format version",
    "Only `version: 1` is known to this roster.",
    "Write `version: 1`, or use a newer roster.",
  ),
  "bad-text": codeText(
    "a text is empty, padded or holds a control character",
    "It would not look like what it is.",
    "Write it without.",
  ),
  "bad-address": codeText(
    "a text cannot be an e-mail address",
    "An address has an @ with something on both sides, and no spaces.",
    "Correct it.",
  ),
  "unsafe-address": codeText(
    "no user is created with this address",
    "The address contains what mail servers, URLs or people can misread. Such as: a `/`, a second `@`, quotes, an invisible character, a full-width letter, an empty part of the domain. `roster validate` does not ask the service, so every user without a declared key counts as new.",
    "Correct the address. If the service has the user under this address, declare one of their keys: `key: PREFIX` with the user or a member, or `owner` under `keys`.",
  ),
  "single-label-domain": codeText(
    "the domain of a new user has no dot",
    "An address such as ada@localhost is often a slip. `roster validate` does not ask the service, so every user without a declared key counts as new.",
    "Write the whole domain. If your network has such domains, set `singleLabelDomains: true` in the settings.",
  ),
  "unusual-address": codeText(
    "an address is unusual",
    "No user would be created with this address. Leavers, `previously`, `distinctFrom` and users who are there may name it, because the service may show it. A warning.",
    "Check that the service shows the address exactly so, or correct it.",
  ),
  "non-ascii-address": codeText(
    "an address has letters beyond ASCII before the @",
    "Many mail servers do not deliver to such an address, and some letters look like others. A warning.",
    "Check the address letter by letter.",
  ),
  "bad-date": codeText("a text is no day of the calendar", "Days are written as in 2027-01-31.", "Correct it."),
  "unknown-choice": codeText(
    "a word is none of those that are known here",
    "The format knows a few words at this place.",
    "Write one of those that the message names.",
  ),
  "too-many-roles": codeText(
    "a list has more roles than any key can mean",
    "No key can have more than 200.",
    "Shorten the list.",
  ),
};

/** What can be wrong with whom and what a roster names. */
const references: Readonly<Record<string, CodeText>> = {
  "missing-account": codeText(
    "nothing says to which account a file's people belong",
    "Users and teams need an account: of the file, or of the settings.",
    "Write `account: IDENTIFIER` at the top of the file, or in the settings.",
  ),
  "duplicate-user": codeText("two users have one address", "Addresses are compared in any letter case.", takeOneOut),
  "duplicate-address": codeText(
    "a former address is somebody else's, or the user's own",
    "An address under `previously` would lead to two people.",
    "Correct it.",
  ),
  "duplicate-team": codeText(
    "two teams of one account have one name",
    "Teams are known by their names, so that nobody could tell them apart.",
    "Give both their `identifier`, or take one out.",
  ),
  "duplicate-identifier": codeText(
    "two teams have one identifier",
    "It names one team of the service.",
    "Correct one of them.",
  ),
  "duplicate-group": codeText("two groups have one name", "Groups are for the whole roster.", "Rename one of them."),
  "duplicate-role-set": codeText(
    "two role sets have one name",
    "Role sets are for the whole roster.",
    "Rename one of them.",
  ),
  "duplicate-member": codeText(
    "somebody is named twice in one place",
    "A person stands twice in a group, or twice in a team other than through groups; or a group twice in a team.",
    takeOneOut,
  ),
  "duplicate-leaver": codeText(
    "two leavers have one address",
    "Addresses are compared in any letter case.",
    takeOneOut,
  ),
  "user-and-leaver": codeText(
    "somebody is a user and a leaver",
    "A leaver must hold nothing, and a user may.",
    "Take them out of one of both lists.",
  ),
  "leaver-in-use": codeText(
    "a leaver is a member, an administrator or a founder",
    "A leaver holds nothing.",
    "Take them out of there, or out of `leavers`.",
  ),
  "leaver-key-roles": codeText(
    "a listed key gives roles to a leaver",
    "A leaver holds nothing.",
    "Write `roles: []`, or give the key another owner.",
  ),
  "leaves-later": codeText(
    "a leaver's day is still to come",
    "`leavers` counts from now on, whatever `since` says.",
    "Write `until` with the user instead.",
  ),
  "not-distinct": codeText(
    "`distinctFrom` names the user, or somebody twice",
    "It names other people whose addresses are near.",
    "Correct it.",
  ),
  "on-removal-of-open-team": codeText(
    "`onRemoval` of an open team",
    "With `open: true` nobody is a member too many.",
    "Take one of both out.",
  ),
  "unknown-user": codeText(
    "somebody is named who is no user of the roster",
    "Members, administrators and founders are users of some file of it.",
    "Correct the address, or add the user.",
  ),
  "unknown-group": codeText(
    "a group is defined nowhere",
    "Groups stand under `groups` of any file.",
    "Correct the name, or define it.",
  ),
  "unknown-role-set": codeText(
    "a role set is defined nowhere",
    "Role sets stand under `roleSets` of any file.",
    "Correct the name, or define it.",
  ),
  "admin-not-member": codeText(
    "the administrator is not a member of the team",
    "The service makes an administrator a member.",
    "Add them to the members, or name somebody else.",
  ),
  "admin-other-account": codeText(
    "the administrator belongs to another account than the team",
    "Nobody administers a team of another account.",
    "Name somebody of the team's account.",
  ),
  "founder-not-member": codeText(
    "the founder is not a member of the team",
    "Whoever founds a team is in it.",
    "Add them to the members, or name somebody else.",
  ),
  "founder-other-account": codeText(
    "the founder belongs to another account than the team",
    "A team is founded in the account in which its founder is created.",
    "Name somebody of the team's account.",
  ),
  "founder-own-key-roles": codeText(
    "a founder is to have roles on an own key",
    "A founder's only key is the team's.",
    "Take `ownKeyRoles` out, or let somebody else found the team.",
  ),
  "conflicting-roles": codeText(
    "one key is given two different lists of roles",
    "Two groups of one rank give a person different roles in a team, or two places name one prefix.",
    "Give the person an entry of their own: it beats both groups.",
  ),
  "full-key": codeText(
    "a whole key stands where a prefix belongs",
    "What follows the dot in a key is its secret part. The line is not shown.",
    "Write the part before the dot alone, and have the key replaced: it has been in a file.",
  ),
  "duplicate-prefix": codeText(
    "one prefix is given twice",
    "It is listed twice, or declared as the key of two people or two teams.",
    "Correct one of them.",
  ),
  "section-not-here": codeText(
    "a section stands in a file that may not carry it",
    "`sections` in the settings says which files may carry what, so that their owners decide no more than is theirs.",
    "Move it to a file that may, or change the settings.",
  ),
  "too-many-members": codeText(
    "the roster has more memberships than can be held",
    "Groups multiply: a few lines can ask for billions.",
    "Split the roster, and apply its parts one by one.",
  ),
  "more-errors": codeText(
    "there are more errors than are shown",
    "The first thousand are shown.",
    "Mend the first ones.",
  ),
  "until-has-come": codeText(
    "somebody's `until` has come",
    "From that day on they are a leaver: places in teams and groups that still name them no longer count, and their keys are planned to have no roles. A warning.",
    "Take them out of the places that the warnings name.",
  ),
  "more-warnings": codeText(
    "there are more warnings than are shown",
    "The first thousand are shown.",
    "Mend the first ones.",
  ),
};

/** What can be wrong with a roster. */
export const rosterFaults: Readonly<Record<string, CodeText>> = { ...shape, ...references };

const writeOut = "Write it out; in a roster, `groups` share people and `roleSets` share roles.";

/** What can be wrong with a file as YAML. */
export const yamlFaults: Readonly<Record<string, CodeText>> = {
  "yaml-syntax": codeText(
    "this is not YAML",
    "A quote, a bracket or a colon is missing, or something stands where it cannot.",
    "Look at the line that is shown, and the one before it.",
  ),
  "yaml-indentation": codeText(
    "entries do not start in the same column",
    "Entries of one map or list stand one below the other.",
    "Indent them alike.",
  ),
  "yaml-tab": codeText("a tab is used as indentation", "YAML knows only spaces there.", "Use spaces."),
  "yaml-tag": codeText(
    "tags are not accepted",
    "A tag such as `!!str` decides what a value is, and could decide otherwise elsewhere.",
    "Take it out; quotes make a value a text.",
  ),
  "yaml-anchor": codeText("anchors are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-alias": codeText("aliases are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-merge-key": codeText("merge keys are not accepted", "They hide where a field comes from.", writeOut),
  "yaml-directive": codeText("directives are not accepted", "Every file is read as YAML 1.2.", "Take the line out."),
  "yaml-several-documents": codeText(
    "a second document starts here",
    "A file holds one document.",
    "Give it a file of its own.",
  ),
  "yaml-merge-conflict": codeText(
    "a merge has left both sides in the file",
    "Two branches have changed the same lines, and nobody has decided yet what is meant.",
    "Keep the lines that are meant, mostly those of both sides, and take out the lines that git wrote.",
  ),
  "yaml-duplicate-key": codeText(
    "one map has a key twice",
    "Only one of the two could count, and nobody could tell which.",
    "Take one of them out.",
  ),
  "yaml-key": codeText(
    "something that is no text is used as a key",
    "Keys of maps are plain texts.",
    "Write the key as a text, in quotes where YAML would read something else.",
  ),
  "yaml-not-a-map": codeText(
    "the file holds no map",
    "A roster file, and settings, are a map of sections.",
    "Begin it with `version: 1`.",
  ),
  "yaml-encoding": codeText("the file is not UTF-8", "Its bytes are no text in UTF-8.", "Save it as UTF-8."),
  "yaml-control-character": codeText(
    "the file holds a character that nobody sees",
    "Control characters could make a file look otherwise than it reads.",
    "Take it out.",
  ),
  "yaml-too-large": codeText(
    "the file is too large to be read as one",
    "It has too many bytes or too many parts.",
    "Split it into several files.",
  ),
  "yaml-too-deep": codeText(
    "maps and lists are nested too deep",
    "No roster nests as deep as this; mostly a bracket or a dash is repeated by mistake.",
    "Look for what is repeated.",
  ),
  "yaml-more-errors": codeText(
    "the file has more errors than are shown",
    "The first hundred are shown; the others often follow from them.",
    "Mend the first ones.",
  ),
};
