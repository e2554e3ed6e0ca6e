import { active, type Key, type Team, type User } from "./entities.ts";
import type { Counters } from "./identifiers.ts";
import type { InvitationMail } from "./outbox.ts";
import type { World } from "./world.ts";

/** What a server keeps over a restart. */
export interface PersistedState {
  readonly world: World;
  readonly mails: readonly InvitationMail[];
  readonly counters: Counters;
  /** The prefix of the administrator's key. */
  readonly administrator: string;
}

/** The mark by which such a file is known. */
export const stateFormat = "roster-reference-server";

const rowsPerChunk = 1000;

/** The JSON text of what is kept, in pieces of a bounded size, one row on a line. What is as usual is left out. */
export function* serializeState({ world, mails, counters, administrator }: PersistedState): Generator<string> {
  yield `{\n"format": ${JSON.stringify(stateFormat)},\n"version": 1,\n`;
  yield `"administrator": ${JSON.stringify(administrator)},\n"counters": ${JSON.stringify(counters)}`;
  yield* serializeList("accounts", world.accounts.values(), ({ users, ...account }) => account);
  yield* serializeList("roles", world.roles.values(), (role) => role);
  yield* serializeList("users", world.userList, userRow);
  yield* serializeList("teams", world.teams.values(), teamRow);
  yield* serializeList("keys", world.keys.values(), keyRow);
  yield* serializeList("mails", mails, (mail) => mail);
  yield "\n}\n";
}

function* serializeList<T>(name: string, items: Iterable<T>, row: (item: T) => object): Generator<string> {
  yield `,\n${JSON.stringify(name)}: [`;
  let rows: string[] = [];
  let before = "\n";
  for (const item of items) {
    rows.push(JSON.stringify(row(item)));
    if (rows.length < rowsPerChunk) continue;
    yield before + rows.join(",\n");
    before = ",\n";
    rows = [];
  }
  yield rows.length === 0 ? "]" : `${before}${rows.join(",\n")}]`;
}

function userRow({ account, keys, title, externalIdentifier, source, status, createdAt, ...user }: User): object {
  return {
    ...user,
    account: account.identifier,
    ...(title === null ? {} : { title }),
    ...(externalIdentifier === null ? {} : { externalIdentifier }),
    ...(source === null ? {} : { source }),
    ...nonDefaultFields(status, createdAt),
  };
}

function teamRow({ identifier, name, account, admin, createdAt }: Team): object {
  return {
    identifier,
    name,
    account: account.identifier,
    admin: admin.identifier,
    ...nonDefaultFields(active, createdAt),
  };
}

function keyRow({ prefix, secret, kind, owner, team, roles, status, createdAt }: Key): object {
  const into = team === undefined ? {} : { team: team.identifier };
  return { prefix, secret, kind, owner: owner.identifier, ...into, roles, ...nonDefaultFields(status, createdAt) };
}

function nonDefaultFields(status: string, createdAt: number): object {
  return { ...(status === active ? {} : { status }), ...(createdAt === 0 ? {} : { createdAt }) };
}
