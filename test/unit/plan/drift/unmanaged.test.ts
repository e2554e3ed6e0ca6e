import { formatSubject } from "../../../../src/model/fact.ts";
import type { Finding } from "../../../../src/model/finding.ts";
import { type InputParts, planned } from "../../../support/plan-inputs.ts";
import { brief, messageLines, play } from "../../../support/scenes.ts";

const told = new Set(["unmanaged-privilege", "unmanaged", "incomplete-read", "not-observed", "extra-member"]);

/** What is found of what the roster does not name. */
function found(parts: InputParts): readonly string[] {
  const { findings } = planned(parts);
  const isTold = ({ code, message }: Finding) =>
    told.has(code) && !message.startsWith("The service does not show everything");
  return findings
    .filter(isTold)
    .map(({ code, subject, kind }) => brief(`${kind === "task" ? "!" : ""}${code} ${formatSubject(subject)}`));
}

/** Ada is in the team Red with a managed key; Bo too, but the roster leaves Bo's roles alone. */
play("of keys that the roster says nothing of,", found)`
  users: {ada: {ownKeyRoles: [DEVELOPER]}, bo}
  leavers: {cy}
  teams: {Red: {members: [{user: ada, roles: [ACCOUNT_ADMIN]}, bo]}}
  keys: {listed: {roles: [ACCOUNT_ADMIN]}}
  reportUnmanaged: true
a team key whose roles the roster leaves alone may not carry a privilege
  there: {bo: {own: none, in: {Red: [ACCOUNT_ADMIN]}}}
  > !unmanaged-privilege ACCOUNT_ADMIN on key k-bo-red
a team key whose roles the roster leaves alone is named all the same
  there: {bo: {own: none, in: {Red: [TEAM_ROLE]}}}
a person's own key whose roles the roster gives is managed
  there: {ada}
a privilege stays on a key whose roles the roster gives, where the service does not know these roles
  offers: [TEAM_ROLE]
  there: {ada: {own: [ACCOUNT_ADMIN]}}
  > !unmanaged-privilege ACCOUNT_ADMIN on key k-ada
a project key of somebody named is a notice
  there: {ada: {keys: {k: {roles: [PROJECT]}}}}
  > unmanaged key k
a project key with two privileges is two matters
  there: {ada: {keys: {k: {roles: [ACCOUNT_ADMIN, SYSTEM_OWNER]}}}}
  > !unmanaged-privilege ACCOUNT_ADMIN on key k
  > !unmanaged-privilege SYSTEM_OWNER on key k
a key in a team that the roster does not name is a notice
  there: {ada: {in: {Blue}}}
  > unmanaged key k-ada-blue
a key of which nothing is shown is no notice
  there: {ada: {own: none, keys: {k: {roles: [TEAM_ROLE]}}}}
  hides: [key-kinds, teams]
the privileges of somebody unmanaged block
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  > unmanaged user mal
  > !unmanaged-privilege ACCOUNT_ADMIN on key k
an unmanaged person's key without a privilege is told with the person alone
  there: {mal: {own: none, keys: {k: {roles: [TEAM_ROLE]}}}}
  > unmanaged user mal
a key that is switched off opens nothing
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN], status: inactive}}}}
  > unmanaged user mal
a leaver's keys are the leaver's matter
  there: {cy: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
the privileges of somebody barred open nothing
  there: {mal: {status: inactive, own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  > unmanaged user mal
nothing is looked at where nobody asks for it
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  reportUnmanaged: false
the key in use does not count, nor is its owner a user that nobody manages; others are
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}, eve: {own: none}}
  keyInUse: k
  > unmanaged user eve
people may be privileged where the settings name them among those who may be given the role
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  guards: {privilegedRoles: {roles: [], people: [mal@acme.example]}}
  > unmanaged user mal
people may be privileged where the settings name them among the required administrators
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  guards: {requiredAdmins: [mal@acme.example]}
  > unmanaged user mal
a member too many is reported with their key, which is not told again
  there: {ada: {own: none, in: {Blue}}, bo: {own: none, in: {Blue}}}
  users: {ada: {ownKeyRoles: gone}}
  teams: {Red: gone, Blue: {identifier: t-blue, members: [bo]}}
  > !extra-member member ada of team acc-1/blue
a member too many of an open team is told by their key
  there: {ada: {own: none, in: {Blue}}, bo: {own: none, in: {Blue}}}
  users: {ada: {ownKeyRoles: gone}}
  teams: {Red: gone, Blue: {identifier: t-blue, members: [bo], open: true}}
  > unmanaged key k-ada-blue
keys are told where neither the service nor a record says of which team they are
  there: {ada: {own: none, in: {Red: [ACCOUNT_ADMIN]}}}
  hides: [teams]
  > !unmanaged-privilege ACCOUNT_ADMIN on key k-ada-red
keys are recognized by what is recorded, where the service does not show their teams
  there: {ada: {own: none, in: {Red: [ACCOUNT_ADMIN]}}}
  hides: [teams]
  state: {members: {Red/ada: {prefix: k-ada-red}}}
a list of people that is not complete blocks
  everyone: {read: incomplete, why: it ended early}
  > !incomplete-read user ada
  > !incomplete-read user bo
  > !incomplete-read team acc-1/red
  > !incomplete-read service https://simulated.example
roles that are not shown are a notice
  there: {root}
  hides: [roles]
  > unmanaged user root
  > not-observed service https://simulated.example
`;

play("of privileges that nobody reviewed is told", messageLines)`
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  reportUnmanaged: true
the setting that lets somebody be privileged, by the name it has in the settings
  > unmanaged: mal is in the service, but not in the roster. roster does not change this user's keys. To manage this user, add the user to the roster.
  > ! unmanaged-privilege: mal's key k has ACCOUNT_ADMIN. The roster names neither the user nor the key, so nobody has
    reviewed this role. If the role is wrong, remove it in the service. If it is right, add the key with its roles to the roster. Or, if the user may have any privileged role, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml).
`;
