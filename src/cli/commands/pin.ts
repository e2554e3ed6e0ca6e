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
import { textProblem } from "../../roster/decode-file.ts";
import { insertEntries, type MapInsertion } from "../../yaml/edit.ts";
import { readYaml } from "../../yaml/read.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { connect, debugTrace } from "../connection.ts";
import type { Host } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { replaceFiles } from "../output/write-files.ts";
import { loadRoster } from "../planning/load-roster.ts";
import { planFor } from "../planning/pipeline.ts";
import { readPolicy } from "../planning/policy-flags.ts";
import { readRosterFiles, type SourceFile } from "../planning/roster-files.ts";
import { type CommandCall, closeAfter, readPorts, type Session } from "../session.ts";
import type { SettingFlags } from "../settings/settings.ts";
import { openUsableStore } from "../stores/open-store.ts";
import { sha256 } from "../system.ts";

export interface PinFlags extends SettingFlags {
  readonly check?: boolean;
  readonly debug?: boolean;
  readonly plain?: boolean;
}

/**
 * Writes what is known of teams and keys into the roster's files, where only the state or only this read would know it.
 * Reads the state and the service as a plan does, and changes nothing but those files.
 */
export async function pin(paths: readonly string[], flags: PinFlags, host: Host): Promise<number> {
  const { value: pinned } = await closeAfter((open) => pinInto(paths, { flags, host, open }));
  if (!pinned.ok) return finishStopped("validate", pinned.error, host);
  const { done, left } = pinned.value;
  for (const one of left) host.stderr.write(`note: ${safe(unplaceable(one))}\n`);
  host.stdout.write(formatPinned(done, flags));
  return flags.check === true && done.length > 0 ? 2 : 0;
}

interface Pinned {
  readonly files: readonly SourceFile[];
  readonly done: readonly Pin[];
  readonly left: readonly Pin[];
}

async function pinInto(
  paths: readonly string[],
  { flags, host, open }: CommandCall<PinFlags>,
): Promise<Result<Pinned, CommandError>> {
  const opened = await open({ command: "roster", flags: { ...printedForPeople, ...flags }, host, needs: ["observer"] });
  if (!opened.ok) return problem(opened.error.stop);
  const session = opened.value;
  const { settings } = session;
  if (paths.includes("-")) return problem(noStandardInput);
  const chosen = paths.length > 0 ? paths : settings.roster;
  const loaded = await loadRoster(chosen, settings, host);
  if (!loaded.ok) return loaded;
  const pins = await learnedPins(loaded.value.roster, session, flags);
  if (!pins.ok) return pins;
  const sources = await readRosterFiles(chosen, host, { except: settings.acknowledgements.value });
  if (!sources.ok) return sources;
  const pinned = insertPins(sources.value, pins.value);
  const today = isoDate(host.clock);
  if (!stillARoster(sources.value, pinned.files, { ...settings, today })) return problem(wouldSpoil);
  if (flags.check === true || pinned.done.length === 0) return success(pinned);
  const replaced = await replaceFiles(pinned.files, host);
  return replaced.ok ? success(pinned) : replaced;
}

const noStandardInput = invalidSetting(
  "no-file",
  "Standard input cannot be pinned: there is no file to write to.",
  "Name the roster's files or directories.",
);

const wouldSpoil = invalidSetting(
  "pins-conflict",
  "With what was learned in it, the roster would not be valid: one prefix or identifier was learned for two. Nothing was written.",
  "Look at `roster state show` and write the `identifier:` and `key:` lines by hand.",
);

/** Nothing is created, so that nobody else's name is asked for. */
const unguarded: GuardSettings = { ...defaultGuards, nearDuplicate: "off" };

async function learnedPins(
  roster: Roster,
  session: Session<"observer">,
  flags: PinFlags,
): Promise<Result<readonly Pin[], CommandError>> {
  const { settings, host } = session;
  const { invitationDays, consistency, singleLabelDomains } = settings;
  const today = isoDate(host.clock);
  const policy = readPolicy(
    {},
    { reportUnmanaged: false, guards: unguarded, invitationDays, consistency, singleLabelDomains, today },
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
  return planned.ok ? success(findPins({ ...planned.value, roster, policy: policy.value })) : planned;
}

/** The files that change, with the pins in them. */
function insertPins(sources: readonly SourceFile[], pins: readonly Pin[]): Pinned {
  const files: SourceFile[] = [];
  const done: Pin[] = [];
  const left: Pin[] = [];
  for (const { file, bytes } of sources) {
    const inserted = insertEntries(
      bytes,
      pins.filter(({ place }) => place.file === file),
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
    const { tree } = readYaml(file, bytes);
    return tree === undefined ? [] : [{ file, tree }];
  });
  return buildRoster(trees, settings).roster !== undefined;
}

function unplaceable({ of, place, key, value }: Pin): string {
  return `the ${of} is ${value}, and ${place.file}:${place.line} is no place for it: write \`${key}: ${value}\` into an entry of its own.`;
}

function formatPinned(done: readonly Pin[], { check }: PinFlags): string {
  if (done.length === 0) return "Nothing to pin: the roster says what was learned.\n";
  const lines = done.map(({ place, key, value, of }) => `  ${place.file}:${place.line}  ${key}: ${value}  (${of})`);
  const what = formatCount(done.length, "entry", "entries");
  const head = check === true ? `${what} would be pinned; \`roster pin\` writes them:` : `Pinned ${what}:`;
  return `${head}\n${lines.map((line) => `${safe(line)}\n`).join("")}`;
}

/** An identity that was learned and that the roster does not say yet. */
export interface Pin extends MapInsertion {
  /** Such as `team Platform`. */
  readonly of: string;
}

/** The identifiers of teams, and the prefixes of keys whose holder or team the service does not show, as a plan knows them. */
export function findPins(known: {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly policy: Policy;
}): readonly Pin[] {
  const { context } = buildPlanContext({ ...known, digest: sha256 });
  const { people } = identifyUsers(context);
  const { teams } = identifyTeams(context);
  const pins = [
    ...[...people.values()].flatMap(ownKeyPin),
    ...[...teams.values()].flatMap((identity) => [
      ...identifierPin(identity),
      ...memberPins(identity, people, context),
    ]),
  ];
  return pins.filter(({ value }) => textProblem(value) === undefined);
}

function identifierPin(identity: TeamIdentity): readonly Pin[] {
  const { team } = identity;
  if (identity.is !== "known" || team.identifier !== undefined) return [];
  const of = `team ${team.name}`;
  return [{ place: team.place, after: "name", key: "identifier", value: identity.identifier, of }];
}

function ownKeyPin(person: UserIdentity): readonly Pin[] {
  if (person.is !== "present" || person.user.key !== undefined) return [];
  const { user, observed, record } = person;
  if (record?.key === undefined || record.founded !== undefined || shownOwnKey(observed) !== undefined) return [];
  const isGone = observed.keys !== undefined && !observed.keys.some(({ prefix }) => prefix === record.key);
  return isGone ? [] : [keyPin(user.place, "email", record.key, `own key of ${user.email}`)];
}

function memberPins(identity: TeamIdentity, people: UserIdentities, context: PlanContext): readonly Pin[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  return identity.team.members.flatMap((member) => memberPin(member, identity, people.get(member.address), context));
}

function memberPin(
  member: RosterMember,
  identity: TeamIdentity,
  person: UserIdentity | undefined,
  context: PlanContext,
): readonly Pin[] {
  const [place] = member.because;
  if (person?.is !== "present" || member.key !== undefined || place === undefined) return [];
  const status = membershipStatus(person, member, identity, context);
  if (status.is !== "member" || status.key === undefined) return [];
  const { value } = status.key;
  const shown = person.observed.keys?.find(({ prefix }) => prefix === value);
  if (shown !== undefined && showsTeam(shown, identity) === "yes") return [];
  return [keyPin(place, "user", value, `key of ${person.user.email} in team ${identity.team.name}`)];
}

function keyPin(place: Place, after: string, value: string, of: string): Pin {
  return { place, after, key: "key", value, of };
}
