import { lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { canonicalJson, claimsToBePlan, planFileHeader } from "../../codec/document.ts";
import { errorCode, replaceFile, systemErrorCode } from "../../files/file-system.ts";
import { openRegular, readRegularFile } from "../../files/regular-file.ts";
import { stateBasis } from "../../library/apply/saved-plan.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { beginningOf } from "../../library/planning/load-roster.ts";
import { learnedEvents } from "../../library/planning/planning.ts";
import { digestPreconditions } from "../../log/preconditions.ts";
import { factValue } from "../../model/fact.ts";
import type { Plan, PlanFile, UserAddress } from "../../model/plan.ts";
import type { GuardSettings, Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type Roster, rosterDigest } from "../../model/roster.ts";
import { sha256 } from "../../model/sha256.ts";
import { accountStatus, type Snapshot } from "../../model/snapshot.ts";
import { shownTeams } from "../../model/team.ts";
import { isoTime } from "../../ports/clock.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type Host, readStandardInput } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import type { CommandResult } from "../output/finish.ts";
import { hasRosterName } from "../output/output-flags.ts";
import type { PlanMade } from "../planning/plan-without-lock.ts";
import { refuseLedOut } from "../trust/checkout.ts";

/** Saves a plan to be applied later. One that guards refuse is shown alone: what stands in the file stays as it was. */
export async function savePlan(result: CommandResult, made: PlanMade, path: string): Promise<CommandResult> {
  if (result.stop !== undefined) return result;
  const file = makePlanFile(made);
  const { host } = made.session;
  // It comes with what checks a plan file: most plans are not saved.
  const { encodePlanFile } = await import("../../codec/plan-file.ts");
  const text = encodePlanFile(file, sha256);
  const written = await writeOut(path, text, host);
  if (!written.ok) return { ...result, stop: written.error };
  return { ...result, planFile: { path, file, digest: sha256(text), is: "written" } };
}

/** When the next one of the roster becomes a leaver, so that the roster asks for something else. */
function nextLeaving({ users }: Roster): number {
  const days = [...users.values()].flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until.value)]));
  return days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
}

/** So many are enough for one to be there still. */
const maxSampleUsers = 5;

/** A plan with everything that its apply needs. */
function makePlanFile({ planned, session, state }: PlanMade): PlanFile {
  const { loaded, policy, host } = session;
  const { plan, snapshot } = planned;
  const { readAt, everyone, capabilities } = snapshot;
  const { roster, counts } = loaded;
  const madeAt = isoTime(host.clock);
  return {
    id: host.randomness.identifier(),
    madeAt,
    madeBy: installedPackage().version,
    expiresAt: new Date(Math.min(Date.parse(readAt) + lifetime, nextLeaving(roster))).toISOString(),
    basis: {
      roster: { digest: rosterDigest(roster), ...counts },
      state: stateBasis(state),
      records: digestPreconditions(plan, planned.state),
      readAt,
      everyone,
      capabilities,
      witnesses: sampleUsers(snapshot, roster, plan),
    },
    policy: {
      words: formatPolicyFlags(policy, plan),
      privilegedRoles: policy.privilegedRoles,
      guards: guardsDigest(policy),
    },
    lessons: learnedEvents(planned, { roster, policy, at: madeAt }),
    plan,
  };
}

/** First one of each team that people are added to, then people of the roster: others need not be named. */
function sampleUsers({ users }: Snapshot, roster: Roster, { actions, teams }: Plan): readonly UserAddress[] {
  const there = users.filter(({ status }) => accountStatus(status) === "active" || accountStatus(status) === "pending");
  const joined = new Set(
    actions.flatMap((action) => {
      const team = action.kind === "add-members" ? teams.get(action.team) : undefined;
      return (team && factValue(team.identifier)) ?? [];
    }),
  );
  const members = there.filter(({ keys = [] }) =>
    shownTeams(keys).some(({ identifier }) => identifier !== undefined && joined.delete(identifier)),
  );
  const named = there.filter(({ address }) => roster.users.has(address));
  const best = new Set([...members, ...named, ...there]);
  return [...best].slice(0, Math.max(members.length, maxSampleUsers)).map(({ address, email }) => ({ address, email }));
}

export const allowanceFlags = ["--allow ", "--reason "] as const;

/** The selection and what a person allows, as flags. */
function formatPolicyFlags({ include, exclude }: Policy, plan: Plan): readonly string[] {
  return [
    ...include.map(({ written }) => `--include ${written}`),
    ...exclude.map(({ written }) => `--exclude ${written}`),
    ...formatAllowanceFlags(plan),
  ];
}

export function formatAllowanceFlags({ allowed = [], reason }: Plan): readonly string[] {
  const [allowFlag, reasonFlag] = allowanceFlags;
  const why = reason === undefined ? [] : [`${reasonFlag}${JSON.stringify(reason.text)}`];
  return [...allowed.map(({ code }) => `${allowFlag}${code}`), ...why];
}

export interface OutFlags {
  readonly out?: string | undefined;
}

/** How long a saved plan is good for, in milliseconds from the reading on. */
const lifetime = 86_400_000;

/** Undefined where no plan is to be saved. Found wrong before anything is read of the service. */
export async function readOut({ out }: OutFlags, host: Host): Promise<Result<string | undefined, RosterError>> {
  if (out === undefined) return success(undefined);
  const taken = await refuseOccupied(out, host);
  return taken === undefined ? success(out) : problem(taken);
}

/** What is written into a file that a newer one of its kind may replace. */
export interface OutKind {
  readonly name: "plan file" | "snapshot";
  /** What each file of the kind begins with. */
  readonly mark: string;
}

const planFileKind: OutKind = { name: "plan file", mark: planFileHeader };

/** Why nothing may be written there; undefined where nothing is there yet, or a file of the kind, which a newer one replaces. */
export async function refuseOccupied(path: string, host: Host, kind = planFileKind): Promise<RosterError | undefined> {
  if (path === "-") return noStream;
  if (hasRosterName(path)) return rosterName(path, kind);
  const led = await refuseLedOut([path], host);
  if (led !== undefined) return led;
  const at = resolve(host.cwd, path);
  try {
    if (!(await lstat(at)).isFile()) return notReplaceable(path, "is no regular file", kind);
    const beginning = (await beginningOfFile(at, kind.mark.length)).toString("latin1");
    return beginning === kind.mark ? undefined : notReplaceable(path, `is no ${kind.name}`, kind);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unwritable(path, error);
  }
}

async function beginningOfFile(at: string, length: number): Promise<Buffer> {
  const file = await openRegular(at);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Puts a file into its place, for its owner alone: whole, or not at all. */
export async function writeOut(
  path: string,
  text: string,
  host: Host,
  kind = planFileKind,
): Promise<Result<undefined, RosterError>> {
  const taken = await refuseOccupied(path, host, kind);
  if (taken !== undefined) return problem(taken);
  try {
    await replaceFile(resolve(host.cwd, path), [text], { permissions: "owner" });
    return success(undefined);
  } catch (error) {
    return problem(unwritable(path, error));
  }
}

const noStream = invalidSetting(
  "bad-flag-value",
  "A plan file is private: roster does not write it to standard output.",
  "Use --out FILE, or print the plan with `roster plan --format json`.",
);

function rosterName(path: string, { name }: OutKind): RosterError {
  const message = `${path} is the name of a roster file, and a ${name} under such a name would be read as one.`;
  const hint = `Name another file with --out, such as ${name === "snapshot" ? "snapshot" : "plan"}.json.`;
  return invalidSetting("bad-flag-value", message, hint);
}

function notReplaceable(path: string, what: string, { name }: OutKind): RosterError {
  return invalidSetting(
    "file-exists",
    `${path} ${what}. roster overwrites only a ${name} with a new one.`,
    "Name another file with --out.",
  );
}

function unwritable(path: string, error: unknown): RosterError {
  const code = systemErrorCode(error);
  const hint =
    code === "ENOENT"
      ? `Create the directory ${dirname(path)}, or name another file with --out.`
      : "Remove what is in the way, or name another file with --out.";
  return stopError("failed", "unwritable", `${path} cannot be written: ${code}`, hint);
}

export interface SavedText {
  /** As a person named it. */
  readonly path: string;
  readonly text: string;
}

/** What the paths of an apply lead to: a saved plan, known by its content, or anything else, which is read as a roster. */
type FoundPlan =
  | ({ readonly is: "plan" } & SavedText)
  /** `stdin`: what is left of standard input. */
  | { readonly is: "no-plan"; readonly stdin: Host["stdin"] };

/** No plan is larger, in bytes; nor is a roster, which says so. */
export const largestPlan = 256 * 1024 * 1024;

export async function findPlan(paths: readonly string[], host: Host): Promise<Result<FoundPlan, RosterError>> {
  let { stdin } = host;
  for (const path of paths) {
    const bytes =
      path === "-" ? await readStandardInput(stdin(), largestInput) : await bytesOfPlan(resolve(host.cwd, path));
    if (path === "-") {
      const left = Object.assign(Readable.from([bytes]), { isTTY: stdin().isTTY === true });
      stdin = () => left;
    }
    if (bytes === undefined || bytes.length > largestPlan || !claimsToBePlan(beginningOf(bytes))) continue;
    // What a pipeline names as a roster must not be able to become an approval: reading the roster tells.
    if (hasRosterName(path)) continue;
    if (paths.length > 1) return problem(notAlone(path));
    return success({ is: "plan", path, text: bytes.toString("utf8") });
  }
  return success({ is: "no-plan", stdin });
}

/** How much of standard input is read, by its beginning: of a roster no more than of a file of one. */
function largestInput(beginning: Buffer): number {
  return claimsToBePlan(beginningOf(beginning)) ? largestPlan : maxFileBytes;
}

/** The content of a regular file that claims to be a plan. What cannot be read is reported when a roster is read from it. */
async function bytesOfPlan(at: string): Promise<Buffer | undefined> {
  try {
    const beginning = await beginningOfFile(at, 4096);
    return claimsToBePlan(beginningOf(beginning)) ? await readRegularFile(at, largestPlan) : undefined;
  } catch {
    return undefined;
  }
}

function notAlone(path: string): RosterError {
  return invalidSetting(
    "usage",
    `${path} is a plan file, which cannot be combined with other files.`,
    `Pass ${path} as the only path.`,
  );
}

type PlanFileSummary = Required<Pick<CommandResult, "reading" | "roster" | "privilegedRoles">>;

/** How the service was read for the plan, and what the roster was, as a command tells it. */
export function summaryOf({ plan, basis, policy }: PlanFile): PlanFileSummary {
  const { readAt, everyone, capabilities, roster } = basis;
  const { digest: _, ...counts } = roster;
  return {
    reading: { service: plan.service, readAt, everyone, capabilities, readings: new Map() },
    roster: counts,
    privilegedRoles: policy.privilegedRoles,
  };
}

/** The same for the same guards, wherever their lines are. */
export function guardsDigest({ guards }: Pick<Policy, "guards">): string {
  const { setAt: _, ...others }: GuardSettings = guards;
  return sha256(canonicalJson(others)).slice(0, 16);
}
