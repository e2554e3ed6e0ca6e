import { task } from "./row.ts";

/** Of advice to set something: for `roster explain` and for refusals, since only CI needs it. */
export const inCi =
  "from a file in the repository. For CI, use a settings file outside the repository, and set ROSTER_CONFIG to its path";
const domainNotAllowed =
  "the settings do not allow the domain <domain>. The settings allow <allowed>.\nCorrect the address, or add its domain to `guards.allowed-email-domains` in the settings file (roster.config.yaml). To allow <email>, but not the whole domain, {run}.";
/** Also where a team cannot be created: made by hand it would be there twice. */
export const renamed =
  "<likely>, and the roster no longer has <old>.\nIf the team was only renamed, write its former name under `previously`.";
export const renamedYaml = "\n\nteams:\n  - name: <team>\n    <ways:raw>\n";

export const guardsInCi = `In CI, roster does not accept the setting \`guards\` ${inCi}.`;

/** Guards that block single actions and what depends on them, each by a finding of its name. */
export const holds = {
  "allowed-email-domains": task(
    `domain of the address not allowed\nBoth spellings of an international domain count as one. The guard is off until you set domains. ${guardsInCi}\n\nguards:\n  allowed-email-domains: [acme.example, acme.co.uk]`,
    {
      created: `<email> is not created and not added to teams: ${domainNotAllowed}`,
      added: `<email> is not added to teams: ${domainNotAllowed}`,
    },
  ),
  "near-duplicate": task(
    "a similar user exists already\nThe other user is not in the roster, is a leaver, or was just removed from it. A second account could not be deleted.",
    "roster does not create <email>. The service already has <count:another user|other users> named <name>[[, with a <nearness> address]]: <others>. <formerly>.\nIf <email> is wrong, correct it. [[If <email> is a new address of <one>, add `previously: [<one>]` to the entry of <email>. ]]If they are different people, add `distinctFrom: [<others:,>]` to the entry of <email>. To create <email> without a change of the roster, {run}.",
  ),
  "privileged-roles": task(
    `would gain a privileged role\nThe guard is on by default. Without a setting, the privileged roles are those that can administer others. The guard does not block users who already have a privileged role. ${guardsInCi}\n\nguards:\n  privileged-roles:\n    people: [ada@acme.example]`,
    `<who> would gain <roles> <where>. The guard privileged-roles blocks this change.\nIf <holder> must not have <roles>, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give <roles> to <holder> this time, {run}.`,
  ),
  "own-key": task(
    "roster's own key would lose a role\nThe guard is always on.",
    "roster itself uses the key <prefix>. The roster gives it <roles>, without <lost>, so later calls would be refused.\nGive <lost> to this key in the roster, or do not list the key there. To remove it, run roster with the key of another administrator.",
  ),
  protected: task(
    `protected by the settings\nIn CI, roster does not accept the setting \`protect\` ${inCi}.`,
    `The settings protect <name>. So roster does not do <count:this action|these actions>: <actions:10>.\nIf the service is right, change the roster to match it. If the roster is right, remove <name> from \`protect\` in the settings file (roster.config.yaml).`,
  ),
  "renamed-team": task(
    "looks like a renamed team\nAt least two and at least half of its members are in a team that the roster no longer names. A rename would create a second team.",
    `roster does not create <team>: ${renamed} To create <team> as another team, {run}.${renamedYaml}`,
  ),
};

const allowIt =
  "If the plan is wrong, correct the roster. If you have read the plan and want it as it is, pass the `--allow` code that is printed. The code allows the printed list, and nothing else.";

export const stops = {
  "max-new-users": task(
    `limit the number of new users\nThe default is 100. Created users cannot be deleted.\n${allowIt}`,
    "The plan would create <count:user>: <emails:10>. The limit is <most:user>.",
  ),
  "max-invitations": task(
    `limit the number of invitations\nThe default is 100. A user in two teams counts twice. A mail cannot be undone.\n${allowIt}`,
    "The plan would send <count:mail>. The limit is <most:mail>.[[ Mails by team: <teams:10>.]]",
  ),
  "max-role-removals": task(
    `limit the number of keys that lose roles\nRefuses a plan that removes roles from more than 25 % of the managed keys and from more than 10 keys. Both limits are settings. An empty role set can cause this.\n${allowIt}`,
    "The plan would remove roles from <count> of <all:managed key> (<share> %): <keys:10>. The limit is <most:key>.",
  ),
  "min-admins": task(
    `keep enough administrators\nCounts active holders of the role. Off until you set a number.\n${allowIt}`,
    "The plan removes <role> from <lose:10>. Users who keep it: <left>. At least <least> must have it.[[ <unread>]]",
  ),
  "required-admins": task(
    `keep named administrators\nOff until you list users.\n${allowIt}`,
    "The plan would remove the last privileged role of <lose:10>. `guards.required-admins` does not allow this.",
  ),
  "empty-roster": task(
    "do not apply an empty roster by mistake\nThe path may be wrong, or a checkout failed. The guard is always on.\nCheck the path. If the roster must be empty, pass the `--allow` code that is printed.",
    "The roster has no users. <knower> <count:user>[[, not counting <except>]]. Is a file missing?",
  ),
  "incomplete-snapshot": task(
    "do not trust a service that shows only a part\nRefuses a plan if it is unknown for more than half of the roster's users whether they exist. The guard is always on. The key may see only one of several accounts.\nUse a key that can see all accounts. `roster doctor` shows what your key can see.",
    "The service does not show if <count> of <all> users of the roster exist: <emails:10>. [[The list of users is incomplete: <why>. ]]The plan would still run <actions:action>.",
  ),
};

/** Checks between a mistake and the service. The first group holds single actions by a finding of the same code, the others refuse the plan. */
export const guards = { ...holds, ...stops };

export type HoldName = keyof typeof holds;
export type StopName = keyof typeof stops;
export type GuardName = HoldName | StopName;

export const holdNames: readonly HoldName[] = Object.keys(holds).filter(isHold);
export const stopNames: readonly StopName[] = Object.keys(stops).filter(isStop);

export function isHold(code: string): code is HoldName {
  return Object.hasOwn(holds, code);
}

export function isStop(code: string): code is StopName {
  return Object.hasOwn(stops, code);
}
