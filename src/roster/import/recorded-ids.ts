import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { State } from "../../model/state.ts";
import type { RecordedTeam } from "../../model/team.ts";
import { writeYaml, YamlBlock, type YamlMap, type YamlValue } from "../../yaml/write.ts";

/** The identifiers of teams and the prefixes of keys that a state records, as lines to paste into roster files. */
export function recordedIds(state: State, address: string): string {
  const accounts = new Set([...state.users.values(), ...state.teams.values()].map(({ account }) => account));
  const documents = [...accounts].sort(byCodeUnit).flatMap((account) => accountIds(account, state));
  const head = `Recorded in the log at ${address}. Copy each \`key\` and \`identifier\` into the entry of the same user, team or member.`;
  if (documents.length === 0) return `# The log at ${address} records no identifiers and no key prefixes.\n`;
  return documents.map((document, at) => writeYaml(at === 0 ? [head] : [], document)).join("---\n");
}

function accountIds(account: string, state: State): readonly YamlMap[] {
  const users = [...state.users.values()]
    .filter((user) => user.account === account && user.createdTeam === undefined)
    .flatMap(({ email, key }) => (key === undefined ? [] : [{ email, key }]));
  const teams = [...state.teams.values()]
    .filter((team) => team.account === account)
    .sort((a, b) => byCodeUnit(a.name, b.name))
    .flatMap((team) => teamIds(team, state));
  return users.length + teams.length === 0 ? [] : [{ account, users: filled(users), teams: filled(teams) }];
}

function teamIds({ team, name, identifier }: RecordedTeam, { users, memberships }: State): readonly YamlValue[] {
  const keys = new Map<EmailKey, string>();
  for (const { createdTeam, address, key } of users.values()) if (createdTeam === team && key) keys.set(address, key);
  for (const { team: of, address, prefix } of memberships.values())
    if (of === team && prefix) keys.set(address, prefix);
  if (identifier === undefined && keys.size === 0) return [];
  const members = [...keys]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([address, key]) => ({ user: users.get(address)?.email ?? address, key }));
  return [new YamlBlock({ name, identifier, members: filled(members) })];
}

function filled(items: readonly YamlValue[]): YamlBlock | undefined {
  return items.length === 0 ? undefined : new YamlBlock(items);
}
