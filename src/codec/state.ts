import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { RecordedCapabilities, WriteBehaviour } from "../model/capabilities.ts";
import type { Sighting } from "../model/event.ts";
import { type RecordedRefusal, type RefusedPart, refusalKeyOf } from "../model/refusal.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { byCodeUnit, roleSet } from "../model/role-set.ts";
import type {
  AppliedRoster,
  OpenIntent,
  RecordedKey,
  RecordedMembership,
  RecordedTeam,
  RecordedUser,
  State,
} from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import { canonicalJson, schemaProblem } from "./document.ts";
import { validState } from "./generated/state.js";

/** The version of the format that this program writes, and the newest that it reads. */
const stateVersion = 1;

/** A state as its file holds it: described by `schemas/state.schema.json`. */
interface StateDocument {
  readonly version: number;
  readonly lineage: string;
  readonly serial: number;
  readonly service?: string;
  readonly sequence?: number;
  readonly moved?: { readonly to: string; readonly at: string };
  readonly capabilities?: RecordedCapabilities;
  readonly queues?: { readonly at: string };
  readonly writes?: WriteBehaviour;
  readonly users: readonly RecordedUser[];
  readonly teams: readonly RecordedTeam[];
  readonly memberships: readonly RecordedMembership[];
  readonly keys: readonly RecordedKey[];
  readonly open: readonly OpenIntent[];
  readonly refusals?: readonly RecordedRefusal[];
  readonly planFiles?: readonly { readonly file: string; readonly at: string }[];
  readonly applied?: AppliedDocument;
  readonly sightings?: readonly ({ readonly fingerprint: string } & Sighting)[];
}

interface AppliedDocument extends Pick<AppliedRoster, "at" | "digest"> {
  readonly people: readonly { readonly address: string; readonly email: string }[];
}

/** The same state is always the same text: sorted, one record a line, so that versions can be compared by eye. */
export function encodeState(state: State): string {
  const { lineage, serial, service, sequence, moved, capabilities, queues, writes } = state;
  const { users, teams, memberships, keys, open, refusals, planFiles, applied, sightings } = state;
  const fields = [
    ...(applied === undefined ? [] : [field("applied", appliedText(applied))]),
    ...(capabilities === undefined ? [] : [field("capabilities", canonicalJson(capabilities))]),
    field("keys", recordList(keys)),
    field("lineage", canonicalJson(lineage)),
    field("memberships", recordList(memberships)),
    ...(moved === undefined ? [] : [field("moved", canonicalJson(moved))]),
    field("open", list(open)),
    ...(planFiles === undefined ? [] : [field("planFiles", list(planFileEntries(planFiles)))]),
    ...(queues === undefined ? [] : [field("queues", canonicalJson(queues))]),
    ...(refusals.size === 0 ? [] : [field("refusals", recordList(refusals))]),
    ...(sequence === undefined ? [] : [field("sequence", canonicalJson(sequence))]),
    field("serial", canonicalJson(serial)),
    ...(service === undefined ? [] : [field("service", canonicalJson(service))]),
    ...(sightings === undefined ? [] : [field("sightings", sightingsText(sightings))]),
    field("teams", recordList(teams)),
    field("users", recordList(users)),
    field("version", canonicalJson(stateVersion)),
    ...(writes === undefined ? [] : [field("writes", canonicalJson(writes))]),
  ];
  return `{\n${fields.join(",\n")}\n}\n`;
}

function field(name: string, text: string): string {
  return `${canonicalJson(name)}: ${text}`;
}

function recordList(map: ReadonlyMap<string, unknown>): string {
  return list([...map.entries()].sort(([a], [b]) => byCodeUnit(a, b)).map(([, record]) => record));
}

/** Whoever reads two versions sees who came and who went. */
function appliedText({ at, digest, people }: AppliedRoster): string {
  const named = new Map([...people].map(([address, { email }]) => [address, { address, email }]));
  return `{"at":${canonicalJson(at)},"digest":${canonicalJson(digest)},"people":${recordList(named)}}`;
}

function sightingsText(sightings: NonNullable<State["sightings"]>): string {
  return recordList(
    new Map([...sightings].map(([fingerprint, sighting]) => [fingerprint, { fingerprint, ...sighting }])),
  );
}

function planFileEntries(files: NonNullable<State["planFiles"]>): readonly unknown[] {
  return [...files].map(([file, { at }]) => ({ file, at }));
}

function list(values: readonly unknown[]): string {
  return values.length === 0 ? "[]" : `[\n${values.map(canonicalJson).join(",\n")}\n]`;
}

/**
 * Reads a state back. The failure names the file and says what to do; whatever the text holds, nothing throws
 * and nothing of it becomes a property name.
 */
export function decodeState(text: string, file: string): Result<State, Failure> {
  const document = parseJson(text);
  const fault = stateProblem(text, document);
  if (fault !== undefined) return problem(stateFailure(file, fault));
  return stateFromDocument(document as StateDocument, file);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface StateFault {
  readonly message: string;
  readonly hint: string;
}

const restore =
  "restore it from a copy; without one, name an empty place with --state, and `roster state rebuild` begins there with what the service shows";

function stateProblem(text: string, document: unknown): StateFault | undefined {
  if (text.trim() === "") return { message: "is empty, although a state never is", hint: restore };
  if (document === undefined) return { message: "is not complete JSON: it was cut short or edited", hint: restore };
  const version = versionOf(document);
  if (typeof version === "number" && version > stateVersion) {
    return {
      message: `was written in version ${version} of the format, and this roster reads version ${stateVersion}`,
      hint: "use the version of roster that wrote it, or a newer one",
    };
  }
  if (validState(document)) return undefined;
  return { message: `is not a state of roster: ${schemaProblem(validState.errors?.[0])}`, hint: restore };
}

function versionOf(document: unknown): unknown {
  if (typeof document !== "object" || document === null || !Object.hasOwn(document, "version")) return undefined;
  return Reflect.get(document, "version");
}

function stateFailure(file: string, { message, hint }: StateFault): Failure {
  return { code: "state", message: `the state ${message}`, request: file, hint };
}

function stateFromDocument(document: StateDocument, file: string): Result<State, Failure> {
  const users = document.users.map((user) => ({ ...user, address: foldAddress(user.address) }));
  const memberships = document.memberships.map((held) => ({ ...held, address: foldAddress(held.address) }));
  const refusals = (document.refusals ?? []).map((one) => ({ ...one, part: withFoldedAddress(one.part) }));
  const state: State = {
    lineage: document.lineage,
    serial: document.serial,
    ...(document.service === undefined ? {} : { service: document.service }),
    ...(document.sequence === undefined ? {} : { sequence: document.sequence }),
    ...(document.moved === undefined ? {} : { moved: document.moved }),
    ...(document.capabilities === undefined ? {} : { capabilities: document.capabilities }),
    ...(document.queues === undefined ? {} : { queues: document.queues }),
    ...(document.writes === undefined ? {} : { writes: document.writes }),
    users: new Map(users.map((user): [FoldedAddress, RecordedUser] => [user.address, user])),
    teams: new Map(document.teams.map((team) => [team.team, team])),
    memberships: new Map(memberships.map((held) => [membershipKeyOf(held.team, held.address), held])),
    keys: new Map(document.keys.map((key) => [key.prefix, withRoleSets(key)])),
    open: document.open,
    refusals: new Map(refusals.map((refusal) => [refusalKeyOf(refusal.part), refusal])),
    ...(document.applied === undefined ? {} : { applied: appliedRoster(document.applied) }),
    ...(document.planFiles === undefined ? {} : { planFiles: planFileMap(document.planFiles) }),
    ...(document.sightings === undefined ? {} : { sightings: sightingMap(document.sightings) }),
  };
  const twice = (["users", "teams", "memberships", "keys", "refusals", "sightings"] as const).find(
    (name) => (state[name]?.size ?? 0) < (document[name] ?? []).length,
  );
  if (twice === undefined) return success(state);
  return problem(
    stateFailure(file, { message: `is not a state of roster: its ${twice} name one thing twice`, hint: restore }),
  );
}

function appliedRoster({ at, digest, people }: AppliedDocument): AppliedRoster {
  return { at, digest, people: new Map(people.map(({ address, email }) => [foldAddress(address), { email }])) };
}

function planFileMap(files: NonNullable<StateDocument["planFiles"]>): NonNullable<State["planFiles"]> {
  return new Map(files.map(({ file, at }) => [file, { at }]));
}

function sightingMap(sightings: NonNullable<StateDocument["sightings"]>): NonNullable<State["sightings"]> {
  return new Map(sightings.map(({ fingerprint, ...sighting }) => [fingerprint, sighting]));
}

/** Lists of roles are compared as they are, so that one in another order must not come in. */
function withRoleSets(key: RecordedKey): RecordedKey {
  const readAs = key.readAs === undefined ? {} : { readAs: roleSet(key.readAs) };
  return { ...key, put: roleSet(key.put), ...readAs };
}

function withFoldedAddress(part: RefusedPart): RefusedPart {
  if (part.of !== "roles") return { ...part, address: foldAddress(part.address) };
  const owner = part.owner === undefined ? {} : { owner: foldAddress(part.owner) };
  return { ...part, roles: roleSet(part.roles), ...owner };
}
