import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import type { SourceFile } from "../../library/planning/load-roster.ts";
import { planFor } from "../../library/planning/planning.ts";
import { readPolicy } from "../../library/planning/policy.ts";
import { sha256 } from "../../library/system.ts";
import type { Place } from "../../model/fact.ts";
import { defaultGuards, type GuardSettings, type Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster, RosterMember } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { shownOwnKey } from "../../model/team.ts";
import { buildPlanContext, type PlanContext } from "../../plan/context.ts";
import { showsTeam, type TeamIdentity, type UserIdentities, type UserIdentity } from "../../plan/identities.ts";
import { membershipStatus } from "../../plan/memberships/membership-status.ts";
import { identifyTeams } from "../../plan/teams/teams.ts";
import { identifyUsers } from "../../plan/users/users.ts";
import { isoDate } from "../../ports/clock.ts";
import { formatCount } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";
import { type BuildSettings, buildRoster } from "../../roster/build.ts";
import { textProblem } from "../../roster/decode-text.ts";
import { insertEntries, type MapInsertion } from "../../yaml/edit.ts";
import { readYaml } from "../../yaml/read.ts";
import type { Host } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { findRosterFiles, loadRoster } from "../planning/roster-files.ts";
import { replaceFiles } from "../planning/write-files.ts";
import { type CommandCall, closeAfter, connect, debugTrace, readPorts, type Session } from "../session.ts";
import type { SettingFlags } from "../settings/settings.ts";
import { openUsableStore } from "../stores/open-store.ts";

export interface RecordIdsFlags extends SettingFlags {
  readonly check?: boolean;
  readonly debug?: boolean;
  readonly tui?: boolean;
}

/**
 * Writes what is known of teams and keys into the roster's files, where only the state or only this read would know it.
 * Reads the state and the service as a plan does, and changes nothing but those files.
 */
export async function recordIds(paths: readonly string[], flags: RecordIdsFlags, host: Host): Promise<number> {
  const { value: recorded } = await closeAfter((open) => recordIdsInto(paths, { flags, host, open }));
  if (!recorded.ok) return finishStopped("validate", recorded.error, host);
  const { done, left } = recorded.value;
  for (const one of left) host.stderr.write(`note: ${safe(unplaceable(one))}\n`);
  host.stdout.write(formatRecorded(done, flags));
  return flags.check === true && done.length > 0 ? 2 : 0;
}

interface InsertedIds {
  readonly files: readonly SourceFile[];
  readonly done: readonly LearnedId[];
  readonly left: readonly LearnedId[];
}

async function recordIdsInto(
  paths: readonly string[],
  { flags, host, open }: CommandCall<RecordIdsFlags>,
): Promise<Result<InsertedIds, RosterError>> {
  const opened = await open({ command: "roster", flags: { ...printedForPeople, ...flags }, host, needs: ["observer"] });
  if (!opened.ok) return problem(opened.error.stop);
  const session = opened.value;
  const { settings } = session;
  if (paths.includes("-")) return problem(noStandardInput);
  const chosen = paths.length > 0 ? paths : settings.roster;
  const loaded = await loadRoster(chosen, settings, host);
  if (!loaded.ok) return loaded;
  const ids = await readLearnedIds(loaded.value.roster, session, flags);
  if (!ids.ok) return ids;
  const sources = await findRosterFiles(chosen, host);
  if (!sources.ok) return sources;
  const recorded = insertIds(sources.value, ids.value);
  const today = isoDate(host.clock);
  if (!stillARoster(sources.value, recorded.files, { ...settings, today })) return problem(wouldSpoil);
  if (flags.check === true || recorded.done.length === 0) return success(recorded);
  const replaced = await replaceFiles(recorded.files, host);
  return replaced.ok ? success(recorded) : replaced;
}

const noStandardInput = invalidSetting(
  "stdin-not-writable",
  "roster cannot record identifiers in standard input.",
  "Name the roster files or directories.",
);

const wouldSpoil = invalidSetting(
  "ids-conflict",
  "The learned values would make the roster invalid: two entries have the same prefix or identifier. Nothing was written.",
  "Run `roster state show`, and write the `identifier:` and `key:` lines by hand.",
);

/** Nothing is created, so that nobody else's name is asked for. */
const unguarded: GuardSettings = { ...defaultGuards, nearDuplicate: "off" };

async function readLearnedIds(
  roster: Roster,
  session: Session<"observer">,
  flags: RecordIdsFlags,
): Promise<Result<readonly LearnedId[], RosterError>> {
  const { settings, host } = session;
  const { invitationDays, consistency, singleLabelDomains } = settings;
  const today = isoDate(host.clock);
  const policy = readPolicy(
    {},
    { prefix: "--", reportUnmanaged: false, guards: unguarded, invitationDays, consistency, singleLabelDomains, today },
  );
  if (!policy.ok) return policy;
  const store = await openUsableStore(settings, host);
  if (!store.ok) return store;
  session.onClose(() => store.value.close());
  const state = await store.value.read();
  if (!state.ok) return problem(errorFromFailure(state.error));
  const connection = await connect(settings, host, debugTrace(flags, host));
  if (!connection.ok) return connection;
  const service = connection.value;
  session.onClose(() => service.close());
  const input = { roster, state: state.value, policy: policy.value, everyone: "when-needed" } as const;
  const planned = await planFor(input, readPorts({ ...session, service }));
  return planned.ok ? success(findLearnedIds({ ...planned.value, roster, policy: policy.value })) : planned;
}

/** The files that change, with the identifiers in them. */
function insertIds(sources: readonly SourceFile[], ids: readonly LearnedId[]): InsertedIds {
  const files: SourceFile[] = [];
  const done: LearnedId[] = [];
  const left: LearnedId[] = [];
  for (const { file, bytes } of sources) {
    const inserted = insertEntries(
      bytes,
      ids.filter(({ place }) => place.file === file),
    );
    if (inserted.done.length > 0) files.push({ file, bytes: inserted.bytes });
    done.push(...inserted.done);
    left.push(...inserted.left);
  }
  return { files, done, left };
}

function stillARoster(
  sources: readonly SourceFile[],
  changed: readonly SourceFile[],
  settings: BuildSettings,
): boolean {
  const contents = new Map([...sources, ...changed].map(({ file, bytes }) => [file, bytes]));
  const trees = [...contents].flatMap(([file, bytes]) => {
    const { tree } = readYaml(file, bytes, "regular-first");
    return tree === undefined ? [] : [{ file, tree }];
  });
  return buildRoster(trees, settings).roster !== undefined;
}

function unplaceable({ of, place, key, value }: LearnedId): string {
  return `the ${of} is ${value}, and ${place.file}:${place.line} has no place for it: write \`${key}: ${value}\` into its own entry.`;
}

function formatRecorded(done: readonly LearnedId[], { check }: RecordIdsFlags): string {
  if (done.length === 0) return "Nothing to record: the roster has every learned identifier.\n";
  const lines = done.map(({ place, key, value, of }) => `  ${place.file}:${place.line}  ${key}: ${value}  (${of})`);
  const what = formatCount(done.length, "entry", "entries");
  const head = check === true ? `${what} would be recorded; \`roster record-ids\` writes them:` : `Recorded ${what}:`;
  return `${head}\n${lines.map((line) => `${safe(line)}\n`).join("")}`;
}

/** An identity that was learned and that the roster does not say yet. */
export interface LearnedId extends MapInsertion {
  /** Such as `team Platform`. */
  readonly of: string;
}

/** The identifiers of teams, and the prefixes of keys whose holder or team the service does not show, as a plan knows them. */
export function findLearnedIds(known: {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly policy: Policy;
}): readonly LearnedId[] {
  const { context } = buildPlanContext({ ...known, digest: sha256 });
  const { people } = identifyUsers(context);
  const { teams } = identifyTeams(context);
  const ids = [
    ...[...people.values()].flatMap(ownKeyPrefix),
    ...[...teams.values()].flatMap((identity) => [
      ...teamIdentifier(identity),
      ...memberKeyPrefixes(identity, people, context),
    ]),
  ];
  return ids.filter(({ value }) => textProblem(value) === undefined);
}

function teamIdentifier(identity: TeamIdentity): readonly LearnedId[] {
  const { team } = identity;
  if (identity.is !== "known" || team.identifier !== undefined) return [];
  const of = `team ${team.name}`;
  return [{ place: team.place, after: "name", key: "identifier", value: identity.identifier, of }];
}

function ownKeyPrefix(person: UserIdentity): readonly LearnedId[] {
  if (person.is !== "present" || person.user.key !== undefined) return [];
  const { user, observed, record } = person;
  if (record?.key === undefined || record.founded !== undefined || shownOwnKey(observed) !== undefined) return [];
  const isGone = observed.keys !== undefined && !observed.keys.some(({ prefix }) => prefix === record.key);
  return isGone ? [] : [learnedPrefix(user.place, "email", record.key, `own key of ${user.email}`)];
}

function memberKeyPrefixes(identity: TeamIdentity, people: UserIdentities, context: PlanContext): readonly LearnedId[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  return identity.team.members.flatMap((member) =>
    memberKeyPrefix(member, identity, people.get(member.address), context),
  );
}

function memberKeyPrefix(
  member: RosterMember,
  identity: TeamIdentity,
  person: UserIdentity | undefined,
  context: PlanContext,
): readonly LearnedId[] {
  const [place] = member.because;
  if (person?.is !== "present" || member.key !== undefined || place === undefined) return [];
  const status = membershipStatus(person, member, identity, context);
  if (status.is !== "member" || status.key === undefined) return [];
  const { value } = status.key;
  const shown = person.observed.keys?.find(({ prefix }) => prefix === value);
  if (shown !== undefined && showsTeam(shown, identity) === "yes") return [];
  return [learnedPrefix(place, "user", value, `key of ${person.user.email} in team ${identity.team.name}`)];
}

function learnedPrefix(place: Place, after: string, value: string, of: string): LearnedId {
  return { place, after, key: "key", value, of };
}
