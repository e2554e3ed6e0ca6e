import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit } from "../../model/collections.ts";
import type { State } from "../../model/state.ts";
import type { RecordedTeam } from "../../model/team.ts";
import { entry, writeYaml, type YamlMap } from "../../yaml/write.ts";

/** The identifiers of teams and the prefixes of keys that a state records, as lines to paste into roster files. */
export function recordedIds(state: State, address: string): string {
  const accounts = new Set([...state.users.values(), ...state.teams.values()].map(({ account }) => account));
  const documents = [...accounts].sort(byCodeUnit).flatMap((account) => accountIds(account, state));
  const head = `Recorded in the state ${address}. Paste each line into the entry of the same user, team or member.`;
  if (documents.length === 0) return `# The state ${address} records no identifiers and no key prefixes.\n`;
  return documents.map((document, at) => writeYaml(at === 0 ? [head] : [], document)).join("---\n");
}

function accountIds(account: string, state: State): readonly YamlMap[] {
  const users = [...state.users.values()]
    .filter((user) => user.account === account && user.createdTeam === undefined)
    .flatMap(({ email, key }) =>
      key === undefined
        ? []
        : [
            lines("line", [
              ["email", email],
              ["key", key],
            ]),
          ],
    );
  const teams = [...state.teams.values()]
    .filter((team) => team.account === account)
    .sort((a, b) => byCodeUnit(a.name, b.name))
    .flatMap((team) => teamIds(team, state));
  const sections = [
    ["users", users],
    ["teams", teams],
  ] as const;
  const filled = sections.filter(([, items]) => items.length > 0);
  if (filled.length === 0) return [];
  const lists = filled.map(([name, items]) => entry(name, { kind: "list", layout: "block", items }));
  return [{ kind: "map", layout: "block", entries: [entry("account", account), ...lists] }];
}

function teamIds({ team, name, identifier }: RecordedTeam, { users, memberships }: State): readonly YamlMap[] {
  const keys = new Map<EmailKey, string>();
  for (const { createdTeam, address, key } of users.values()) if (createdTeam === team && key) keys.set(address, key);
  for (const { team: of, address, prefix } of memberships.values())
    if (of === team && prefix) keys.set(address, prefix);
  if (identifier === undefined && keys.size === 0) return [];
  const members = [...keys]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([address, key]) => {
      return lines("line", [
        ["user", users.get(address)?.email ?? address],
        ["key", key],
      ]);
    });
  const { entries } = lines("block", [
    ["name", name],
    ...(identifier === undefined ? [] : [["identifier", identifier] as const]),
  ]);
  const list = members.length === 0 ? [] : [entry("members", { kind: "list", layout: "block", items: members })];
  return [{ kind: "map", layout: "block", entries: [...entries, ...list] }];
}

function lines(layout: YamlMap["layout"], fields: readonly (readonly [key: string, value: string])[]): YamlMap {
  return { kind: "map", layout, entries: fields.map(([key, value]) => entry(key, value)) };
}
