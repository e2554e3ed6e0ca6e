import type { Key, Role } from "./entities.ts";
import { type Counters, type CountingIdentifiers, countingIdentifiers, type IdentifierKind } from "./identifiers.ts";
import type { InvitationMail } from "./outbox.ts";
import { stateFormat } from "./saved-world.ts";
import { type NewKey, type NewTeam, type NewUser, World } from "./world.ts";

type Row<New, Named extends string> = Omit<New, Named> & { readonly [Name in Named]: string };

/** What a server starts with. */
export interface InitialState {
  readonly world: World;
  readonly identifiers: CountingIdentifiers;
  readonly mails: readonly InvitationMail[];
  readonly administrator: Key;
}

/** The document that `savedPieces` writes. */
interface StateDocument {
  readonly format: typeof stateFormat;
  readonly version: 1;
  readonly administrator: string;
  readonly counters: Counters;
  readonly accounts: readonly { readonly identifier: string; readonly name: string; readonly status: string }[];
  readonly roles: readonly Role[];
  readonly users: readonly Row<NewUser, "account">[];
  readonly teams: readonly (Row<NewTeam, "account" | "admin"> & { readonly identifier: string })[];
  readonly keys: readonly (Omit<Row<NewKey, "owner">, "team"> & { readonly team?: string })[];
  readonly mails: readonly InvitationMail[];
}

/** The file is not what a reference server keeps. */
export class UnusableState extends Error {
  override readonly name = "UnusableState";
}

/** Throws `UnusableState` where the text is not one that `savedPieces` wrote. */
export function restoreState(
  text: string,
  draws: { readonly start: number; readonly kind: IdentifierKind },
): InitialState {
  const saved = parseState(text);
  // Draws go on elsewhere than at the beginning, where the prefixes that are there were drawn.
  const identifiers = countingIdentifiers(draws.start + saved.keys.length + 1, draws.kind, saved.counters);
  const world = new World(identifiers);
  for (const { identifier, name, status } of saved.accounts) world.addAccount(identifier, name, status);
  for (const role of saved.roles) world.roles.set(role.identifier, role);
  for (const { account, ...user } of saved.users) {
    world.addUser({ ...user, account: lookUp(world.accounts, "account", account) });
  }
  for (const { account, admin, ...team } of saved.teams) {
    const wish = { account: lookUp(world.accounts, "account", account), admin: lookUp(world.users, "user", admin) };
    world.addTeam({ ...team, ...wish });
  }
  for (const { owner, team, ...key } of saved.keys) {
    const into = team === undefined ? {} : { team: lookUp(world.teams, "team", team) };
    world.addKey({ ...key, ...into, owner: lookUp(world.users, "user", owner) });
  }
  return { world, identifiers, mails: saved.mails, administrator: lookUp(world.keys, "key", saved.administrator) };
}

function parseState(text: string): StateDocument {
  const saved = parseJson(text);
  if (typeof saved !== "object" || saved === null || !("format" in saved) || saved.format !== stateFormat) {
    throw new UnusableState("it is not the state of a reference server");
  }
  if (!("version" in saved) || saved.version !== 1) throw new UnusableState("it is of another version");
  for (const list of ["accounts", "roles", "users", "teams", "keys", "mails"]) {
    if (!Array.isArray(Object.entries(saved).find(([name]) => name === list)?.[1])) {
      throw new UnusableState(`its list of ${list} is missing`);
    }
  }
  // The mark says who wrote it; what names something that is not there is found on the way.
  return saved as StateDocument;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableState("it is not JSON");
  }
}

function lookUp<T>(things: ReadonlyMap<string, T>, what: string, identifier: string): T {
  const thing = things.get(identifier);
  if (thing === undefined) throw new UnusableState(`it names the ${what} ${identifier}, which is not in it`);
  return thing;
}
