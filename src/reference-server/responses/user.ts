import type { Knobs } from "../knobs/registry.ts";
import { type Account, isActive, type Key, type Team, type User } from "../world.ts";

/** On what occasion something is shown: by a list or a search, or by the call that made it. */
type RenderedFor = "listed" | "made";

/** What is shown is put together field by field, since a list shows many users. */
type JsonFields = Record<string, unknown>;

/** A user as this service shows them, with these of their keys. */
export function renderUser(knobs: Knobs, user: User, keys: readonly Key[], on: RenderedFor): object {
  const rendered = renderProfile(knobs, user);
  if (knobs.showKeys !== "none") rendered[knobs.showKeys] = keys.map((key) => renderKey(knobs, key, on));
  if (knobs.fields === "public") rendered["activeAccessKeyCount"] = keys.filter(isActive).length;
  switch (knobs.oddities) {
    case "none":
      return rendered;
    case "extra-fields":
      return { ...rendered, ...unknownFields, visited: true, pictureURL: null, submittedJobs: 7 };
    case "nulls":
      return { ...rendered, status: null, title: null, source: null };
    case "missing-keys":
      return Object.fromEntries(
        Object.entries(rendered).filter(([, value]) => !Array.isArray(value) || value.length > 0),
      );
  }
}

const unknownFields: object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 7}');

export function renderProfile(knobs: Knobs, user: User): JsonFields {
  const rendered = renderUserReference(knobs, user);
  rendered["firstName"] = user.firstName;
  rendered["lastName"] = user.lastName;
  if (knobs.showTitles === "yes") rendered["title"] = user.title;
  rendered["externalIdentifier"] = user.externalIdentifier;
  rendered["source"] = user.source;
  if (knobs.fields === "public") {
    const isOld = user.createdAt === 0;
    const account = accountName(user.account);
    Object.assign(rendered, { pictureURL: null, visited: isOld, onboarded: isOld, submittedJobs: 0, account });
  }
  return knobs.times === "hidden" ? rendered : Object.assign(rendered, timeFields(knobs.times, user.createdAt));
}

function accountName({ identifier, name }: Account): object {
  return { identifier, name };
}

/** Under which names a user is shown. */
const userWords = {
  plain: { identifier: "identifier", email: "email", status: "status" },
  short: { identifier: "id", email: "emailAddress", status: "state" },
  long: { identifier: "userIdentifier", email: "username", status: "active" },
} as const;

export function renderUserReference(knobs: Knobs, user: User): JsonFields {
  const status = knobs.userWords === "long" ? isActive(user) : renderStatus(knobs.statusCase, user.status);
  return { ...renderUserName(knobs, user), [userWords[knobs.userWords].status]: status };
}

export function renderUserName(knobs: Knobs, { identifier, email }: User): JsonFields {
  const words = userWords[knobs.userWords];
  return { [words.identifier]: renderIdentifier(knobs.identifiers, identifier), [words.email]: email };
}

export function renderKey(knobs: Knobs, key: Key, on: RenderedFor): object {
  const rendered = renderMemberKey(knobs, key, on);
  if (knobs.showKeyKinds === "user-or-system") rendered["isDefault"] = key.kind !== "project";
  else if (knobs.showKeyKinds !== "none") rendered["isDefault"] = key.isDefault;
  return rendered;
}

/** A key that does not say whether it is the user's own. */
export function renderMemberKey(knobs: Knobs, key: Key, on: RenderedFor): JsonFields {
  const { prefix, status, kind, team, roles } = key;
  const rendered: JsonFields = { prefix, status: renderStatus(knobs.statusCase, status) };
  if (knobs.showKeyKinds === "user-or-system") rendered["keyType"] = kind === "project" ? "system" : "user";
  else if (knobs.showKeyKinds !== "none") rendered[knobs.showKeyKinds] = kind;
  Object.assign(rendered, teamField(knobs, team, on));
  if (knobs.fields === "public") Object.assign(rendered, publicKeyFields(knobs, key));
  const objects = roles.map((identifier) => ({ identifier }));
  const shownRoles = { objects, names: roles, null: null, none: undefined };
  return Object.assign(rendered, { roles: shownRoles[knobs.showKeyRoles] });
}

function publicKeyFields(knobs: Knobs, { kind, owner, createdAt }: Key): object {
  return {
    name: `${owner.firstName}'s ${kind} key`,
    description: null,
    isHighPriority: false,
    createdAt: timeFields(knobs.times === "hidden" ? "basic-offset" : knobs.times, createdAt).createdAt,
    lastActiveDateTime: null,
    submittedJobs: 0,
    retrieved: createdAt === 0,
    labels: [{ identifier: "label-1", name: "Production" }],
    account: accountName(owner.account),
    user: { ...renderUserName(knobs, owner), firstName: owner.firstName, lastName: owner.lastName },
  };
}

export function createdTeamField(knobs: Knobs, team: Team | undefined): object {
  return team === undefined ? {} : teamField(knobs, team, "made");
}

function teamField(knobs: Knobs, named: Team | undefined, on: RenderedFor): object {
  const team = named === undefined ? null : renderTeam(knobs, named);
  switch (knobs.showTeams) {
    case "full":
      return { team };
    case "identifier":
      return { team: team && { identifier: team.identifier } };
    case "name":
      return { team: team && { name: team.name } };
    case "text":
      return { team: team?.identifier ?? null };
    case "flat":
      return { teamIdentifier: team?.identifier ?? null, teamName: team?.name ?? null };
    case "teamId":
      return { teamId: team?.identifier ?? null };
    case "teamName":
      return { teamName: team?.name ?? null };
    case "created-only":
      return on === "made" ? { team } : {};
    case "none":
      return {};
  }
}

export function renderTeam(knobs: Knobs, { identifier, name }: Team) {
  return { identifier: renderIdentifier(knobs.identifiers, identifier), name };
}

export function renderAccount(knobs: Knobs, { identifier, name, status }: Account): object {
  return { identifier, name, status: renderStatus(knobs.statusCase, status) };
}

function renderIdentifier(how: Knobs["identifiers"], identifier: string): string | number {
  return how === "numbers" && /^\d{1,15}$/u.test(identifier) ? Number(identifier) : identifier;
}

function renderStatus(how: Knobs["statusCase"], status: string): string {
  if (how === "capitalised") return status;
  return how === "lower" ? status.toLowerCase() : status.toUpperCase();
}

/** `at` is in milliseconds since the epoch. */
function timeFields(how: Exclude<Knobs["times"], "hidden">, at: number) {
  const time = (zone: "Z" | "+00:00" | "+0000") => new Date(at).toISOString().replace("Z", zone);
  if (how === "mixed") return { createdAt: time("+0000"), updatedAt: time("+00:00"), lastActiveDateTime: null };
  const zones = { z: "Z", offset: "+00:00", "basic-offset": "+0000" } as const;
  const shown = how === "epoch" ? at : time(zones[how]);
  return { createdAt: shown, updatedAt: shown, lastActiveDateTime: shown };
}
