import type { RuleName } from "../../model/action.ts";
import type { GuardName } from "../../model/policy.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** The rules by which actions are planned. */
export const rules: Readonly<Record<RuleName, CodeText>> = {
  "absent-user": codeText(
    "a user of the roster is proven to be absent",
    "The roster lists a user, and reads of this run prove that the service has nobody at this address or at a former one: an exact search that found somebody known to be there, or a complete list. Only then is anybody created, once.",
    "Nothing, where the person is meant. Where the service knows them under another address, write that one under `previously`.",
  ),
  "recreated-user": codeText(
    "a person allows that somebody who was here is created again",
    "The roster lists a user who is proven to be absent, and our records say that somebody was here at this address. Nobody is created again by that alone: `--allow recreate:ADDRESS@PLANID` was passed for this plan.",
    "Nothing, where the word is meant. Where the person has another address now, write it as the `email`, and the former one under `previously`.",
  ),
  "founds-team": codeText(
    "a team that is absent comes into being with a new user",
    "No call creates a team: it comes into being only together with one new user, its founder. The roster asks for the team, a complete read shows none of its name or `--allow absent:team:NAME@PLANID` says so for this plan, and this new user is a member whom the matching of teams and new users has chosen, or whom `founder` fixes.",
    "Nothing, where both are meant. To choose the founder, write `founder: ADDRESS` in the team; where the team is there under another name, write `previously` or its `identifier`.",
  ),
  "missing-member": codeText(
    "members of the roster are not in a team that is there",
    "The roster names people as members, by themselves or through a group, and the reads show them without a key of the team; where the service does not show keys, our records or `--allow absent:member:TEAM/ADDRESS@PLANID` say that they are not in it. They are added by one call for each team, and each of them is mailed by the service once.",
    "Nothing, where they are meant. A mail cannot be taken back: look at the addresses before you approve.",
  ),
  "joins-new-team": codeText(
    "members of a team that the same plan founds",
    "A founded team has its founder as the only member. Everybody else whom the roster names is added afterwards by one call, and mailed by the service once.",
    "Nothing. If the founding fails, this is skipped, and the next plan asks for it again.",
  ),
  "invitation-resent": codeText(
    "a person wants a member mailed once more",
    "`roster resend-invitation` was called for somebody who may have been invited before. It is the only way in which anybody is mailed twice.",
    "Nothing. The plan says when the last mail was sent.",
  ),
  "roles-differ": codeText(
    "a key has other roles than the roster asks for",
    "The roster gives exact roles for the key, by the member's entry, the team, the user's `ownKeyRoles` or the list of keys, and the key was read, recorded or declared with others. The replacement sends the whole list, so that what is not in it is taken away.",
    "Nothing, where the roster is right. Where the key is, write its roles into the roster.",
  ),
  "roles-unknown": codeText(
    "nobody knows which roles a key has",
    "The roster gives exact roles for the key, and neither the service nor our record says what it carries. The roles are sent once, and what was sent is recorded from then on.",
    "Nothing.",
  ),
  "roles-of-new-key": codeText(
    "a key that the same plan makes gets its roles",
    "Joining a team and being created each give a key, and the service decides what it carries at first. It is made exact, unless the answer shows that it is already.",
    "Nothing. Where the service shows no prefix for the new key, that becomes a finding.",
  ),
  "roles-of-founder": codeText(
    "the key of a founder is made exact",
    "The service appends the roles that a founding asks for to roles of its own, so that a founder's key may carry more than was asked for. It is replaced by exactly what the roster wants, unless the answer shows that already.",
    "Nothing.",
  ),
  "leaver-roles-removed": codeText(
    "a leaver holds nothing",
    "The roster lists the person under `leavers`, or the day of their `until` has come, and a key of theirs is shown, recorded or declared that has roles, or may have. No call deletes a key or ends a membership, so that it is left without roles.",
    "Nothing. What no call can end about a leaver is told by the finding leaver-remains.",
  ),
  "extra-member-roles-removed": codeText(
    "a member too many is left without roles",
    "Somebody holds a key of a team whose members the roster gives completely, and the roster does not name them. The team says `onRemoval: disarm`, so that their team key is given no roles. No call ends the membership itself.",
    "Have the membership ended by hand, or name the person in the roster.",
  ),
  unnamed: codeText(
    "a saved plan that does not say",
    "The plan was saved by an earlier version of roster, which did not write down by which rule an action was planned.",
    "Plan again to see it.",
  ),
};

const allowIt =
  "Correct the roster; or, once you have read the plan and want just this, say the --allow word that is printed.";

/** What stands between a slip and a service. Those of the first group hold single actions, the others refuse the plan. */
export const guards: Readonly<Record<GuardName, CodeText>> = {
  "allowed-email-domains": codeText(
    "nobody of a strange domain is invited",
    "Holds each creation and addition of a person whose domain is not under `guards.allowed-email-domains`. Off until domains are set; both spellings of an international domain are one.",
    "Correct the address, or add its domain to the settings.",
  ),
  "near-duplicate": codeText(
    "nobody gets a second account",
    "Holds a creation while the service shows somebody of the same name with a near address, whom the roster does not name, names as a leaver, or has just dropped.",
    "Write the address that is there, the former one under `previously`, or `distinctFrom` where they are two people.",
  ),
  "privileged-roles": codeText(
    "nobody gains power over others in passing",
    "Holds what gives a privileged role to somebody who has none on any key. The roles are those that administer, unless set.",
    "List the person under `guards.privileged-roles.people`, or take the role out of the roster.",
  ),
  "own-key": codeText(
    "the key in use keeps its power",
    "Holds what takes the privileged role from the key with which roster works: no later call could give it back. Always on.",
    "Keep the role in the roster, or run with the key of another administrator.",
  ),
  protected: codeText(
    "nobody touches what the settings protect",
    "Holds every action about a person or a key under `protect`, such as the account of a last resort.",
    "Make the roster ask for what is there, or take the entry out of `protect`.",
  ),
  "renamed-team": codeText(
    "no team is founded again under a new name",
    "Holds the founding of a team whose members are mostly those of a team that is known and that the roster does not name any more.",
    "Say with `previously` or `identifier` which team it was.",
  ),
  "unproven-team": codeText(
    "no team is founded on a doubt",
    "A team that nothing shows and nothing proves to be absent is a finding, and its founder is kept for it.",
    "Give its `identifier`, or pass the `--allow absent:team:…` that is printed.",
  ),
  "max-new-users": codeText(
    "no crowd is created by mistake",
    "Refuses a plan that creates more people than allowed: 100 unless set. Nobody who was created can be deleted.",
    allowIt,
  ),
  "max-invitations": codeText(
    "no crowd is mailed by mistake",
    "Refuses a plan with more additions than allowed: 100 unless set, a person in two teams counting twice. No mail can be unsent.",
    allowIt,
  ),
  "max-role-removals": codeText(
    "no company is disarmed by mistake",
    "Refuses a plan that takes roles from more than a quarter of the managed keys, and from more than ten, unless set otherwise. A role set that was emptied looks like this.",
    allowIt,
  ),
  "min-admins": codeText(
    "administrators do not run out",
    "Refuses a plan that takes the role from somebody where fewer active people than set hold it afterwards. Off until set.",
    allowIt,
  ),
  "required-admins": codeText(
    "named administrators stay",
    "Refuses a plan that takes the last privileged role from a person under `guards.required-admins`, or may take it. Off until set.",
    allowIt,
  ),
  "empty-roster": codeText(
    "no roster that was lost on its way is applied",
    "Refuses a plan of a roster without users while the state or the service knows people: a wrong path, or a checkout that failed. Always on.",
    "Name the right path. If the roster is really meant to be empty, say the --allow word that is printed.",
  ),
  "incomplete-snapshot": codeText(
    "no service that shows a part of itself is gone by",
    "Refuses a plan where more than half of the roster's people are neither shown nor proven to be absent, unless set otherwise: mostly the key sees one account of several.",
    "Use a key that sees them; `roster doctor` shows what this one sees.",
  ),
};
