import type { Knobs } from "../knobs/registry.ts";
import { type Account, isActive, type Key, type Team, type User } from "../world.ts";

/** A user as this service shows them, with these of their keys. */
export function renderUser(
  knobs: Knobs,
  user: User,
  shown: { readonly keys: readonly Key[]; readonly on: RenderedFor },
): object {
  const rendered = renderProfile(knobs, user);
  if (knobs.showKeys !== "none") rendered[knobs.showKeys] = shown.keys.map((key) => renderKey(knobs, key, shown.on));
  if (knobs.fields === "public") rendered["activeAccessKeyCount"] = shown.keys.filter(isActive).length;
  return withOddities(knobs.oddities, rendered);
}

/** What is shown is put together field by field, since a list shows many users. */
type JsonFields = Record<string, unknown>;

/** A user without keys. */
export function renderProfile(knobs: Knobs, user: User): JsonFields {
  const rendered = renderUserReference(knobs, user);
  rendered["firstName"] = user.firstName;
  rendered["lastName"] = user.lastName;
  if (knobs.showTitles === "yes") rendered["title"] = user.title;
  rendered["externalIdentifier"] = user.externalIdentifier;
  rendered["source"] = user.source;
  if (knobs.fields === "public") Object.assign(rendered, publicUserFields(user));
  return knobs.times === "hidden" ? rendered : Object.assign(rendered, timeFields(knobs.times, user.createdAt));
}

function publicUserFields({ account, createdAt }: User): object {
  const isOld = createdAt === 0;
  return { pictureURL: null, visited: isOld, onboarded: isOld, submittedJobs: 0, account: accountName(account) };
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

function accountName({ identifier, name }: Account): object {
  return { identifier, name };
}

/** A user by identifier, address and status alone. */
export function renderUserReference(knobs: Knobs, user: User): JsonFields {
  const rendered = renderUserName(knobs, user);
  const status = renderStatus(knobs.statusCase, user.status);
  switch (knobs.userWords) {
    case "plain":
      rendered["status"] = status;
      break;
    case "short":
      rendered["state"] = status;
      break;
    case "long":
      rendered["active"] = status.toLowerCase() === "active";
  }
  return rendered;
}

/** A user by identifier and address alone. */
export function renderUserName(knobs: Knobs, { identifier, email }: User): JsonFields {
  const shown = renderIdentifier(knobs.identifiers, identifier);
  switch (knobs.userWords) {
    case "plain":
      return { identifier: shown, email };
    case "short":
      return { id: shown, emailAddress: email };
    case "long":
      return { userIdentifier: shown, username: email };
  }
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
  const shownTeam = team === undefined ? null : renderTeam(knobs, team);
  if (knobs.showTeams === "full") rendered["team"] = shownTeam;
  else Object.assign(rendered, teamField(knobs.showTeams, shownTeam, on));
  if (knobs.fields === "public") Object.assign(rendered, publicKeyFields(knobs, key));
  if (knobs.showKeyRoles !== "none") rendered["roles"] = renderRoles(knobs.showKeyRoles, roles);
  return rendered;
}

/** The field of a team that was created, where this service shows teams. */
export function foundedTeamField(knobs: Knobs, team: Team | undefined): object {
  return team === undefined ? {} : teamField(knobs.showTeams, renderTeam(knobs, team), "made");
}

export function renderTeam(knobs: Knobs, { identifier, name }: Team): { identifier: string | number; name: string } {
  return { identifier: renderIdentifier(knobs.identifiers, identifier), name };
}

export function renderAccount(knobs: Knobs, { identifier, name, status }: Account): object {
  return { identifier, name, status: renderStatus(knobs.statusCase, status) };
}

/** An identifier as an answer shows it. */
function renderIdentifier(how: Knobs["identifiers"], identifier: string): string | number {
  return how === "numbers" && /^\d{1,15}$/u.test(identifier) ? Number(identifier) : identifier;
}

function renderStatus(how: Knobs["statusCase"], status: string): string {
  switch (how) {
    case "capitalised":
      return status;
    case "lower":
      return status.toLowerCase();
    case "upper":
      return status.toUpperCase();
  }
}

/** `at` is in milliseconds since the epoch. */
function timeFields(how: Exclude<Knobs["times"], "hidden">, at: number): TimeFields {
  const time = (zone: "Z" | "+00:00" | "+0000") => new Date(at).toISOString().replace("Z", zone);
  switch (how) {
    case "z":
      return sameTimes(time("Z"));
    case "offset":
      return sameTimes(time("+00:00"));
    case "basic-offset":
      return sameTimes(time("+0000"));
    case "mixed":
      return { createdAt: time("+0000"), updatedAt: time("+00:00"), lastActiveDateTime: null };
    case "epoch":
      return sameTimes(at);
  }
}

interface TimeFields {
  readonly createdAt: string | number;
  readonly updatedAt: string | number;
  readonly lastActiveDateTime: string | number | null;
}

function sameTimes(time: string | number): TimeFields {
  return { createdAt: time, updatedAt: time, lastActiveDateTime: time };
}

/** Changes how a user is shown, never who is meant. */
function withOddities(how: Knobs["oddities"], user: Readonly<Record<string, unknown>>): object {
  switch (how) {
    case "none":
      return user;
    case "extra-fields":
      return { ...user, ...unknownFields, visited: true, pictureURL: null, submittedJobs: 7 };
    case "nulls":
      return { ...user, status: null, title: null, source: null };
    case "missing-keys":
      return Object.fromEntries(Object.entries(user).filter(([, value]) => !Array.isArray(value) || value.length > 0));
  }
}

const unknownFields: object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 7}');

function renderRoles(how: Exclude<Knobs["showKeyRoles"], "none">, roles: readonly string[]): unknown {
  switch (how) {
    case "objects":
      return roles.map((identifier) => ({ identifier }));
    case "names":
      return roles;
    case "null":
      return null;
  }
}

interface RenderedTeam {
  readonly identifier: string | number;
  readonly name: string;
}

/** On what occasion something is shown: by a list or a search, or by the call that made it. */
type RenderedFor = "listed" | "made";

function teamField(how: Knobs["showTeams"], team: RenderedTeam | null, on: RenderedFor): object {
  switch (how) {
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
