import type { GuardName } from "../../model/policy.ts";
import { type CodeText, codeText } from "./code-words.ts";

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
    "Give its `identifier`, or say --assume-absent team:NAME for one run.",
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
