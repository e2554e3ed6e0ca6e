import { codeText } from "../code-words.ts";

/** Findings about teams and who is in them. */
export const aboutTeams = {
  "unproven-team": codeText(
    "it is not proven that a team is absent",
    "The service did not show the team, and no read proves that it is not there: users were not read completely, or the service does not show the teams of keys. A team is not founded on a doubt, since a second one could not be removed.",
    "If it is there, give its `identifier` in the roster. If you know that it is not, say --assume-absent team:NAME for one run.",
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
  "disarmed-member": codeText(
    "a member too many has no roles any more",
    "The team says `onRemoval: disarm`, and the key of somebody whom the roster does not name has no roles. The membership itself stays, since no call ends it.",
    "Have the membership ended by hand.",
  ),
  "member-removed": codeText(
    "a member was taken out of a team by somebody else",
    "A run of ours added or saw the person in the team, and the service shows them without a key of it now. Nobody is invited twice by themselves.",
    "Add the person by hand, take them out of the team in the roster, or say `roster reinvite ADDRESS TEAM`.",
  ),
  "unknown-membership": codeText(
    "nobody knows whether somebody is a member",
    "The service does not show enough to tell, such as keys without their teams, and no record says it either. Nobody is invited on a doubt.",
    "If they are a member, write the prefix of their team key as `key`; if not, say --assume-absent member:TEAM/ADDRESS for one run.",
  ),
  "renamed-team": codeText(
    "a team may only have got another name",
    "The guard renamed-team holds the founding: at least two and at least half of its members are those of a team that is known and that the roster does not name any more. Founding it would make a second one.",
    "Say with `previously` or `identifier` which team it was. If it is a new one, say --allow renamed-team@PLANID, as the finding prints it.",
  ),
};
